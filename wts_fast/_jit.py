"""How this package compiles with numba: one decorator, and an on-disk cache that cannot lie or get in the way.

numba's own cache goes by the file of the function that was called. It does not see that a
function it calls, in another file, has changed, and it lets a full disk or a damaged entry end the
program. Here every entry also carries a hash of all jitted sources, and a cache that
cannot be used costs time, never an answer.
"""

from __future__ import annotations

import hashlib
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core.caching import FunctionCache, NullCache

from . import _kernel

__all__ = ["SOURCES", "STAMP", "cache_folder", "jit", "source_stamp"]

F = TypeVar("F", bound=Callable[..., Any])

#: Every file whose text can end up in compiled code: the jitted modules, and what they take constants from.
SOURCES = ("_jit.py", "_bridge.py", "_matrix_jit.py", "_search_jit.py", "squares.py")

_warned = threading.Event()


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


def jit(function: F) -> F:
    """Compile a function with numba: without the GIL, cached on disk where a folder for that can be written."""
    # Division by zero gives what C gives: the callers rule it out, and the checks would stop vectorising.
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy")(function)
    try:
        dispatcher._cache = _Cache(dispatcher.py_func)  # type: ignore[no-untyped-call]
    except (RuntimeError, OSError):  # "no locator available": no folder can be written
        dispatcher._cache = NullCache()
        _warn("no folder for it can be written")
    return cast(F, dispatcher)


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
