"""Objects that one thread uses at a time, and that are copied whole.

Compiled functions trust their arrays, and run without Python's global lock. If a second thread
stepped an environment between the check of an action and the compiled call, the rules would play an
action that is no longer legal, and could read or write outside their arrays.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar

from typing_extensions import Self

OwnerT = TypeVar("OwnerT", bound="Exclusive")
P = ParamSpec("P")
T = TypeVar("T")


def exclusive(
    method: Callable[Concatenate[OwnerT, P], T],
) -> Callable[Concatenate[OwnerT, P], T]:
    """Let one thread at a time run the methods of an object that are decorated so.

    A decorated method may call others of its object. In another thread, they raise RuntimeError.
    """

    @wraps(method)
    def alone(self: OwnerT, *args: P.args, **options: P.kwargs) -> T:
        if not self._lock.acquire(False):
            raise in_use(self)
        try:
            return method(self, *args, **options)
        finally:
            self._lock.release()

    return alone


def in_use(owner: Exclusive) -> RuntimeError:
    """Return the error for an object that another thread is using."""
    return RuntimeError(
        f"this {type(owner).__name__} is in use by another thread: give each thread one of its own "
        "(copy.deepcopy makes another), or let them take turns"
    )


class Exclusive:
    """The base of objects that one thread uses at a time, and that are copied whole.

    A copy, a deep copy and a pickle keep everything, and share nothing with the original. A forked
    process cannot use an object that another thread was using at the fork: it may be half changed.
    """

    _views: ClassVar[tuple[str, ...]] = ()
    """The attributes that `_make_views` makes from the others, such as views of arrays."""
    _lock: Any
    """An RLock, which the thread holds that uses the object."""

    def __new__(cls, *args: Any, **options: Any) -> Self:
        made = super().__new__(cls)
        made._lock = threading.RLock()
        return made

    def _make_views(self) -> None:
        """Make the attributes in `_views`."""

    @exclusive
    def __getstate__(self) -> dict[str, Any]:
        left_out = {"_lock", *self._views}
        return {name: part for name, part in self.__dict__.items() if name not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_views()

    @exclusive
    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = memo[id(self)] = type(self).__new__(type(self))
        twin.__setstate__(copy.deepcopy(self.__getstate__(), memo))
        return twin

    def __copy__(self) -> Self:
        return copy.deepcopy(self)
