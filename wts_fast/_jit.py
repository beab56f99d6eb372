"""How this package compiles with numba: one decorator, and an on-disk cache that cannot lie or get in the way.

numba's own cache goes by the file of the function that was called. It does not see that a
function it calls, in another file, has changed, and it lets a full disk or a damaged entry end the
program. Here every entry also carries a hash of all jitted sources, and a cache that
cannot be used costs time, never an answer.
"""

from __future__ import annotations

import hashlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar, cast

import numba
from numba.core import cgutils
from numba.core.caching import FunctionCache, NullCache
from numba.extending import intrinsic

from . import _kernel

__all__ = ["SOURCES", "STAMP", "bare", "cache_folder", "compiling", "inlined", "jit", "source_stamp"]

F = TypeVar("F", bound=Callable[..., Any])

#: Every file whose text can end up in compiled code: the jitted modules, and what they take constants from.
SOURCES = (
    "_jit.py",
    "_bridge.py",
    "_double_jit.py",
    "_flat_jit.py",
    "_learners_jit.py",
    "_matrix_jit.py",
    "_mcts_jit.py",
    "_node_jit.py",
    "_random_jit.py",
    "_training_jit.py",
    "_tree_jit.py",
    "_solve_jit.py",
    "_symmetry_jit.py",
    "squares.py",
    "symmetry.py",
)

_warned = threading.Event()
_interrupted = threading.Event()

#: Functions of llvmlite, or named by Python, below which exceptions are dropped.
_DROPPING = frozenset({"_raw_object_cache_notify", "_raw_object_cache_getbuffer", "__del__", "_dispose", "close"})


def source_stamp(folder: Path) -> str:
    """Return a hash of the jitted sources in `folder`, of numba's version and of the kernel's layout and ABI."""
    # The symbols that machine code calls have the ABI number in their names: code of another number must not load.
    digest = hashlib.sha256(f"{numba.__version__} {_kernel.ABI} {_kernel.abi()}".encode())
    for name in SOURCES:
        text = (folder / name).read_bytes()
        digest.update(f"{name} {len(text)} ".encode() + text)
    return digest.hexdigest()


#: Part of the key of every cache entry.
STAMP = source_stamp(Path(__file__).parent)


class _Cache(FunctionCache):
    """numba's cache with the stamp in its key, for which trouble with files means compiling anew."""

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return super()._index_key(sig, codegen), STAMP  # type: ignore[no-untyped-call]

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception as error:  # a damaged entry can fail anywhere between unpickling and linking
            _warn(f"an entry could not be read ({type(error).__name__})")
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except Exception as error:  # over a damaged index, saving begins with reading it
            _warn(f"an entry could not be written ({type(error).__name__})")
        _raise_interrupt()


def jit(function: F) -> F:
    """Compile a function with numba: without the GIL, cached on disk where a folder for that can be written."""
    return _compile(function)


def inlined(function: F) -> F:
    """Do as `jit`, and make the function part of each jitted one that calls it: for what inner loops call."""
    return _compile(function, forceinline=True)


def _compile(function: F, **options: Any) -> F:
    # Division by zero gives what C gives: the callers rule it out, and the checks would stop vectorising.
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy", **options)(function)
    try:
        dispatcher._cache = _Cache(dispatcher.py_func)  # type: ignore[no-untyped-call]
    except (RuntimeError, OSError):  # "no locator available": no folder can be written
        dispatcher._cache = NullCache()
        _warn("no folder for it can be written")
    return cast(F, dispatcher)


def _bare(typing_context: Any, array: Any) -> Any:
    """Return the array without its count of references, which numba would count up and down in every function.

    That is an atomic instruction each time, and dearer than a pivot of a small table. Only for arguments of a jitted
    function, within it: the caller keeps the array alive.
    """

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        struct = context.make_array(signature.args[0])(context, builder, value=values[0])
        struct.meminfo = cgutils.get_null_value(struct.meminfo.type)  # type: ignore[no-untyped-call]
        struct.parent = cgutils.get_null_value(struct.parent.type)  # type: ignore[no-untyped-call]
        return struct._getvalue()

    return array(array), generate


bare: Any = intrinsic(_bare)


@contextmanager
def compiling() -> Iterator[None]:
    """Make sure that Ctrl-C while functions are compiled is obeyed soon, and is not lost.

    LLVM calls back into Python when a function is ready, and objects of LLVM are finalised at any time. An
    exception raised in there is printed and dropped, and Python often looks at signals again right there. Such
    an interrupt is raised as soon as the function has been stored. A handler of the program's own is left alone.
    """
    mine = threading.current_thread() is threading.main_thread()
    if not mine or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:
        _interrupted.set()
        inner = frame
        while inner is not None:
            if inner.f_code.co_name in _DROPPING:
                return
            inner = inner.f_back
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, handle)
    try:
        yield
        _raise_interrupt()
    finally:
        _interrupted.clear()
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _raise_interrupt() -> None:
    if _interrupted.is_set() and threading.current_thread() is threading.main_thread():
        _interrupted.clear()
        raise KeyboardInterrupt


def cache_folder(function: Callable[..., Any]) -> str | None:
    """Return the folder in which a jitted function is cached, or None where none can be written."""
    return getattr(function._cache, "cache_path", None)  # type: ignore[attr-defined]


def _warn(reason: str) -> None:
    """Say once in a process, in one line, that every start will compile anew."""
    if not _warned.is_set():
        _warned.set()
        print(
            f"wts_fast: compiled code is not kept: {reason}. "
            "Set NUMBA_CACHE_DIR to a folder that can be written; until then each start takes some seconds longer.",
            file=sys.stderr,
        )
