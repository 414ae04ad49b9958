"""A hash of all that the machine code of a function is made from.

Numba does not notice when a function that is imported from another file changes (numba#1833). So
machine code is kept under the hash of everything that the compiler can reach from a function: its
bytecode, the functions that it calls and the global values that it reads, by value. Where these lie
plays no part: an edited rule, table or constant of any package gives another hash, and an edited
comment does not. Code that is loaded from an archive, by its path or from a notebook counts alike.

NumPy, Numba and the standard library count by name: their versions are part of the name of each
file of the cache (`machine_code`). What cannot be followed for certain has no hash, and its code is
not kept: extensions of Numba, functions that call themselves, modules that are passed on.
"""

from __future__ import annotations

import builtins
import dis
import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import cache
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

WITH_VERSIONS = ("numpy", "numba", "llvmlite")
"""Packages besides the standard library that count by name."""
OURS = ("gubs_env", "gubs_agents")
COMPILER = tuple(f"{__package__}.{name}" for name in ("intrinsics", "machine_code", "parts"))
"""Modules on which all machine code depends."""
TEMPLATES, EXTENDING = "numba.core.typing.templates", "numba.core.extending"
"""The modules in which Numba keeps what it was taught, and by which others teach it."""
PLAIN = (type(None), type(...), bool, int, float, complex, str, bytes)
FIRST_READ: WeakKeyDictionary[FunctionType, frozenset[str]] = WeakKeyDictionary()
"""The attributes of modules with which `hashes_of` hashed a function first: with those of another
entry its hash would differ."""


class NotHashable(TypeError):
    """A function reaches something without a hash, so that its machine code cannot be kept."""


def fingerprint(function: Callable[..., Any]) -> str:
    """Return a hash of all that the machine code of a function is made from, 16 hex digits.

    Raises:
        NotHashable: for a global value of any other kind than numbers, texts, arrays, enumerations,
            functions and collections of these; for a function that calls itself, a module that is
            passed on, or an extension of Numba. The message names it.
    """
    walk = walked(function)
    digest = hashed("entry", compiler_code(), walk.hash_of(function))
    if not walk.obstacle and any(package_of(each) not in OURS for each in walk.functions()):
        walk.obstacle = extending_module()
    if walk.obstacle:
        raise NotHashable(walk.obstacle)
    return digest.hex()[:16]


def extending_module() -> str:
    """Return which loaded module extends Numba, in words; "" if none does.

    What `numba.extending.overload` gives a function does not show in the function.
    """
    registry = getattr(sys.modules.get(TEMPLATES), "builtin_registry", None)
    templates = [*registry.functions, *registry.attributes] if registry else []
    for template in templates:
        taught: Any = getattr(template, "_overload_func", None)
        if module_of(taught) == EXTENDING and taught.__closure__:  # by `register_jitable`
            taught = contents_of(taught.__closure__[0])
        written = "" if hasattr(taught, "is_inlined") else module_of(taught)
        if written and written.partition(".")[0] not in (*OURS, *WITH_VERSIONS):
            return f"{written} extends Numba"
    return ""


def module_of(value: Any) -> str:
    """Return the name of the module of a function or class; "" for anything else."""
    name = getattr(value, "__module__", "") if hasattr(value, "__qualname__") else ""
    return name if isinstance(name, str) else ""


def package_of(value: Any) -> str:
    return module_of(value).partition(".")[0]


def reached(function: Callable[..., Any]) -> list[FunctionType]:
    """Return a function and all that the compiler can reach from it."""
    return list(walked(function).functions())


def hashes_of(function: Callable[..., Any]) -> dict[FunctionType, bytes]:
    """Return the hash of a function and of each that the compiler can reach from it.

    The hash of one that is reached from several entries is the same from each of them.
    """
    walk = walked(function)
    walks = {walk.attributes: walk}
    hashes = {}
    for each in list(walk.functions()):
        attributes = FIRST_READ.setdefault(each, walk.attributes)
        hashes[each] = walks.setdefault(attributes, Walk(attributes)).hash_of(each)
    return hashes


def walked(function: Callable[..., Any]) -> Walk:
    """Return the walk through all that the compiler can reach from a function."""
    walk = Walk()
    walk.hash_of(function)
    while walk.reads_modules:  # which may be passed on: any function may read them
        names = frozenset().union(*(names_of(each.__code__)[1] for each in walk.functions()))
        if names <= walk.attributes:
            break
        walk = Walk(names)
        walk.hash_of(function)
    return walk


@cache
def compiler_code() -> bytes:
    """Return a hash of the modules on which all machine code depends; they are not imported."""
    loaders: list[Any] = [getattr(find_spec(name), "loader", None) for name in COMPILER]
    codes = [each.get_code(name) for each, name in zip(loaders, COMPILER, strict=True)]
    return hashed("compiler", *map(Walk().hash_of, codes))


def names_read(code: CodeType) -> Iterator[str]:
    """Yield the global names that a function reads."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield instruction.argval


@cache
def names_of(code: CodeType) -> tuple[frozenset[str], frozenset[str]]:
    """Return the global names that a function and those inside it read, and their attributes.

    A text may be an attribute too: `getattr(cards, "PRICE")`.
    """
    inner = [names_of(each) for each in code.co_consts if isinstance(each, CodeType)]
    texts = [each for each in code.co_consts if isinstance(each, str)]
    read = frozenset(names_read(code)).union(*(names for names, _ in inner))
    return read, frozenset([*code.co_names, *texts]).union(*(names for _, names in inner))


def hashed(kind: str, *parts: Any) -> bytes:
    """Return a hash of parts that `repr` tells apart."""
    return hashlib.sha256(repr((kind, *parts)).encode()).digest()


class Walk:
    """The way through all that the compiler can reach from a function.

    The hash of a thing is made from the hashes of all that it leads to, so it does not depend on
    which of several equal things are one object.

    Args:
        attributes: names that any function may read from modules, besides its own.

    Attributes:
        known: functions and classes with their hashes, by identity.
        path: what led to the present thing.
        obstacle: the first thing that has no hash, in words; "" if there is none.
        reads_modules: whether a function reads a module that does not count by name.
    """

    def __init__(self, attributes: frozenset[str] = frozenset()) -> None:
        self.attributes, self.reads_modules = attributes, False
        self.known: dict[int, tuple[Any, bytes]] = {}
        self.path: list[Any] = []
        self.obstacle = ""

    def functions(self) -> Iterator[FunctionType]:
        """Yield the functions that were met."""
        return (each for each, _ in self.known.values() if isinstance(each, FunctionType))

    def hash_of(self, value: Any) -> bytes:
        """Return the hash of a value and of all that it leads to."""
        if type(value) in PLAIN:
            return hashed(type(value).__name__, value)
        if id(value) in self.known:
            return self.known[id(value)][1]
        if any(each is value for each in self.path):  # Numba crashes on such code from a cache
            return self._without(f"{self._way()} leads back to itself")
        self.path.append(value)
        digest = self._hash_of_new(value)
        self.path.pop()
        if isinstance(value, (FunctionType, type)):
            self.known[id(value)] = value, digest
        return digest

    def _hash_of_new(self, value: Any) -> bytes:
        if isinstance(value, FunctionType) and not is_counted_by_name(value):
            return self._hash_of_function(value)
        if isinstance(value, CodeType):
            return self._hash_of_code(value)
        if isinstance(value, (np.ndarray, np.generic)):
            return self._hash_of_array(value)
        if isinstance(value, np.dtype):
            return hashed("dtype", repr(value), value.itemsize)
        if isinstance(value, ModuleType):
            if is_counted_by_name(value):
                return hashed("module", value.__name__)
            return self._without(f"{self._way()} is a module, which is not read by its name")
        if isinstance(value, np.ufunc):
            return hashed("by name", "numpy", value.__name__)
        if is_counted_by_name(value) or isinstance(value, BuiltinFunctionType):
            return hashed("by name", value.__module__, value.__qualname__)
        if isinstance(value, type):
            return self._hash_of_class(value)
        if hasattr(value, "__wrapped__"):
            return self._hash_of_compiled(value)
        if isinstance(value, Enum):
            return hashed("member", self.hash_of(type(value)), value.name)
        if isinstance(value, dict):
            return self._hash_of_all("dictionary", [*value, *value.values()])
        if isinstance(value, (frozenset, set)):
            return hashed("set", sorted(map(self.hash_of, value)))
        if isinstance(value, slice):
            return self._hash_of_all("slice", (value.start, value.stop, value.step))
        if isinstance(value, (tuple, list)):
            return hashed("items", self.hash_of(type(value)), self._hash_of_all("", value))
        if type(value).__module__.startswith("numba.core.types"):
            return hashed("type", repr(value))
        return self._without(f"{self._way()} is a {type(value).__name__}")

    def _without(self, obstacle: str) -> bytes:
        self.obstacle = self.obstacle or obstacle
        return b""

    def _hash_of_all(self, kind: str, values: Iterable[Any]) -> bytes:
        return hashed(kind, *map(self.hash_of, values))

    def _hash_of_function(self, function: FunctionType) -> bytes:
        known, code = function.__globals__, function.__code__
        read, attributes = names_of(code)
        return hashed(
            "function",
            getattr(function, "is_inlined", None),
            self.hash_of(code),
            self.hash_of(function.__defaults__),
            self.hash_of(function.__kwdefaults__),
            self._hash_of_all("cells", map(contents_of, function.__closure__ or ())),
            *(self._hash_of_name(name, known, attributes) for name in sorted(read)),
        )

    def _hash_of_compiled(self, value: Any) -> bytes:
        """Return the hash of an entry, or of a function that Numba compiles for any arguments."""
        options = sorted(getattr(value, "targetoptions", {}).items())
        is_plain = type(value).__name__ in ("Entry", "CPUDispatcher")
        if not is_plain or getattr(value, "locals", None) or not getattr(value, "_can_compile", 1):
            return self._without(f"{self._way()} is compiled for certain types")
        kept = [(name, option) for name, option in options if name != "pipeline_class"]
        return hashed("machine code", self.hash_of(kept), self.hash_of(value.__wrapped__))

    def _hash_of_code(self, code: CodeType) -> bytes:
        """Return the hash of what a code does, whatever its lines and its file are."""
        return hashed(
            "code", code.co_code, code.co_names, code.co_varnames, code.co_freevars,
            code.co_cellvars, code.co_flags, code.co_argcount, code.co_posonlyargcount,
            code.co_kwonlyargcount, getattr(code, "co_exceptiontable", None),
            self._hash_of_all("constants", code.co_consts),
        )  # fmt: skip

    def _hash_of_array(self, value: Any) -> bytes:
        if value.dtype.hasobject:
            return self._without(f"{self._way()} holds Python objects")
        form = repr(value.dtype), value.dtype.itemsize, value.shape, value.strides
        return hashed(type(value).__name__, *form, value.tobytes())

    def _hash_of_name(self, name: str, known: dict[str, Any], attributes: frozenset[str]) -> bytes:
        """Return the hash of what a name means; of a module, of what the code may read there."""
        if name not in known:
            return hashed("builtin", name, hasattr(builtins, name))
        value = known[name]
        self.path.append(name)
        if isinstance(value, ModuleType) and not is_counted_by_name(value):
            digest = self._hash_of_module(value, attributes)
        else:
            digest = self.hash_of(value)
        self.path.pop()
        return hashed("name", name, digest)

    def _hash_of_module(self, module: ModuleType, attributes: frozenset[str]) -> bytes:
        self.reads_modules, attributes = True, attributes | self.attributes
        if (module, attributes) in self.path:  # modules that import each other
            return hashed("module above")
        self.path.append((module, attributes))
        # A module may make its attributes when they are first read, as `gubs_env` does.
        known = {}
        for name in sorted(attributes):
            try:
                known[name] = getattr(module, name)
            except AttributeError:
                continue
            except Exception as error:
                self._without(f"{module.__name__}.{name} cannot be read ({type(error).__name__})")
        digests = [self._hash_of_name(name, known, attributes) for name in known]
        self.path.pop()
        return hashed("module", digests)

    def _hash_of_class(self, kind: type) -> bytes:
        if issubclass(kind, Enum):
            bases = [(each.__module__, each.__qualname__) for each in kind.__mro__[1:]]
            members = [(name, each.value) for name, each in kind.__members__.items()]
            return hashed("enumeration", kind.__qualname__, bases, self.hash_of(members))
        if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            fields = kind._fields, getattr(kind, "_field_defaults", None)
            return hashed("named tuple", kind.__qualname__, self.hash_of(fields))
        if issubclass(kind, BaseException):
            return hashed("exception", kind.__qualname__)
        if issubclass(kind, np.ndarray):  # in compiled code every array is a plain one
            return hashed("array")
        return self._without(f"{self._way()} is a class")

    def _way(self) -> str:
        """Return how the present thing was reached, in words."""
        names = [each for each in self.path if isinstance(each, str)]
        return " in ".join(reversed(names[-2:])) or "the function"


def is_counted_by_name(value: Any) -> bool:
    """Return whether a module, function or class belongs to a package that has a version."""
    if isinstance(value, ModuleType):
        return has_version(value.__name__)
    name = module_of(value)
    try:
        return has_version(name) and attrgetter(value.__qualname__)(sys.modules[name]) is value
    except (AttributeError, KeyError):  # it only says that it came from there
        return False


@cache
def has_version(module: str) -> bool:
    """Return whether a module is one of `WITH_VERSIONS`, or really of the standard library."""
    package = module.partition(".")[0]
    if package in WITH_VERSIONS:
        return True
    if package not in sys.stdlib_module_names:
        return False
    origin = getattr(getattr(sys.modules.get(package), "__spec__", None), "origin", None)
    if origin in (None, "built-in", "frozen") or getattr(sys, "frozen", False):
        return True
    place = Path(origin)
    return "site-packages" not in place.parts and Path(os.__file__).parent in place.parents


def contents_of(cell: Any) -> Any:
    """Return what a cell of a closure holds; for an empty one its type."""
    try:
        return cell.cell_contents
    except ValueError:
        return type(cell)
