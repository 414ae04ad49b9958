"""Parts: the functions that only compiled code calls.

Numba optimises every function together with all that it calls, makes machine code of it, and then
does the same for each of its callers. Nobody runs the machine code of a part: a part is simplified
alone, and only entries are optimised with all that they call and become machine code. Numba also
compiles a function anew for callers whose flags differ, such as an entry and a part. Here all
callers show the same flags.
"""

from __future__ import annotations

from typing import Any

from llvmlite.binding import create_pass_builder, create_pipeline_tuning_options
from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler import Flags as NumbaFlags

OWN = ("forceinline", "release_gil", "no_compile", "no_cpython_wrapper", "no_cfunc_wrapper")
"""Flags of a function that say nothing of the functions that it calls."""


class Flags(NumbaFlags):
    """Flags that show no flag of `OWN` to the functions that are called."""

    def copy(self) -> NumbaFlags:
        shown = NumbaFlags(self)
        for name in OWN:
            shown.discard(name)
        return shown


class Part(JITCodeLibrary):
    """The LLVM code of one part."""

    def finalize(self) -> None:
        # Loops are unrolled and vectorised in entries only: a part that grew would not be inlined,
        # and a loop that is unrolled is not vectorised any more.
        options = create_pipeline_tuning_options(speed_level=1)
        options.loop_unrolling = options.loop_vectorization = options.slp_vectorization = False
        builder = create_pass_builder(self._codegen._tm, options)
        builder.getModulePassManager().run(self._final_module, builder)
        for function in self._final_module.functions:
            if not function.is_declaration:
                function.linkage = "linkonce_odr"  # several entries may hold a copy
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """Return the code of this part and of all that it calls."""
        if self._shared_module is None:
            self._shared_module = self._final_module.clone()
            for library in self._called():  # what nobody calls yet is not linked
                is_part = isinstance(library, Part)
                code = library._final_module if is_part else library._get_module_for_linking()
                self._shared_module.link_in(code, preserve=True)
        return self._shared_module

    def _called(self) -> list[Any]:
        """Return all that this part calls, each after all of its callers."""
        order: list[Any] = []
        visited: set[Any] = set()

        def visit(library: Any) -> None:
            if library not in visited:
                visited.add(library)
                for called in library._linking_libraries if isinstance(library, Part) else ():
                    visit(called)
                order.append(library)

        visit(self)
        return order[-2::-1]


class EntryCompiler(Compiler):
    """The compiler of entries."""

    def __init__(self, *arguments: Any) -> None:
        *before, flags, local_types = arguments
        flags.no_cfunc_wrapper = True
        super().__init__(*before, Flags(flags), local_types)  # type: ignore[call-arg]

    def _compile_core(self) -> Any:
        result = super()._compile_core()
        for environment in result._find_referenced_environments():  # those of its parts
            result.library.codegen.set_env(environment.env_name, environment)
        return result


class PartCompiler(EntryCompiler):
    """The compiler of parts."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.state.flags.no_compile = True

    def _compile_core(self) -> Any:
        context = self.state.targetctx
        self.state.library = part = Part(context.codegen(), self.state.func_id.func_qualname)
        result = Compiler._compile_core(self)
        part.finalize()
        # Numba looks a part up by the object that Python would call, which nothing ever does.
        module, name = result.fndesc.lookup_module(), result.fndesc.qualname
        callable_ = _dynfunc.make_function(module, name, "", 0, result.environment, (part,))
        context.insert_user_function(callable_, result.fndesc, [part])
        return result._replace(entry_point=callable_)
