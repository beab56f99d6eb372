"""The one place where numba meets the kernel: its C functions as symbols that jitted code can call.

Machine code in numba's cache calls these symbols by name. The address behind a name is another
one in every process, and code whose symbol has no address ends the process without a word. So they are
registered when this module is imported, every jitted module that calls the kernel gets them from here,
and the kernel's ABI number is part of each name.

A position is handed over as `STATE_WORDS` words of 64 bits: the bytes of `Position.to_bytes`, one element
of `engine.STATE_DTYPE`. In jitted code: ``turn(words.ctypes, np.int32(black), np.int32(white))``.
"""

from __future__ import annotations

import ctypes

import llvmlite.binding as llvm
import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import get_cython_function_address

from . import _kernel
from .engine import STATE_DTYPE  # its import checks the layout of a state against the kernel

__all__ = [
    "OUTCOME_BYTE",
    "PREFIX",
    "STATE_WORDS",
    "bounds",
    "evaluate",
    "evaluate_cell",
    "evaluate_matrix",
    "legal",
    "playout",
    "state_words",
    "turn",
]

#: What the names of the symbols begin with.
PREFIX = f"wts_fast_abi{_kernel.ABI}_"

#: Words of a position.
STATE_WORDS = STATE_DTYPE.itemsize // 8

#: Which of its bytes tells the outcome: 0 while play goes on, 1 or 2 for a win of Black or White, 3 for a draw.
OUTCOME_BYTE = int(STATE_DTYPE.fields["outcome"][1])  # type: ignore[index]

if STATE_DTYPE.itemsize % 8 or STATE_DTYPE.alignment > 8:
    raise ImportError("the kernel's state is not made of words of 64 bits; install the package again")

# The C type of each function as Cython writes it into the capsule: a call of another type would corrupt memory.
_C_TYPES = {
    "wts_turn": "void (void *, int, int)",
    "wts_legal": "int (void *, unsigned char *)",
    "wts_playout": "int (void *, unsigned PY_LONG_LONG *, int)",
    "wts_bounds": "int (void *, float *, float *)",
    "wts_eval": "float (void *, void *)",
    "wts_eval_cell": "float (void *, void *, int, int)",
    "wts_eval_matrix": "int (void *, void *, float *)",
}


def _register(name: str, c_type: str) -> str:
    """Give jitted code the kernel's function `name`; return its symbol."""
    capsule_name = ctypes.pythonapi.PyCapsule_GetName
    capsule_name.restype, capsule_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    found = (capsule_name(_kernel.__pyx_capi__[name]) or b"").decode()  # type: ignore[attr-defined]
    if found != c_type:
        raise ImportError(f"the kernel's {name} is {found!r}, not {c_type!r}; install the package again")
    llvm.add_symbol(PREFIX + name, get_cython_function_address("wts_fast._kernel", name))
    return PREFIX + name


_SYMBOLS = {name: _register(name, c_type) for name, c_type in _C_TYPES.items()}

#: ``turn(state, black, white)``: plays a legal turn in place and sets the outcome.
turn = types.ExternalFunction(_SYMBOLS["wts_turn"], types.void(types.voidptr, types.intc, types.intc))

#: ``legal(state, squares)``: writes the empty squares, ascending, into uint8 `squares`, which has room for 81; returns
#: their number, 0 where the game is over.
legal = types.ExternalFunction(_SYMBOLS["wts_legal"], types.intc(types.voidptr, types.voidptr))

#: ``playout(state, rng, cap)``: random turns in place to the end of the game, at most `cap`; returns the outcome
#: code, 0 for unfinished. `rng` is the state of a xoshiro256++ generator, four words, and moves on.
playout = types.ExternalFunction(_SYMBOLS["wts_playout"], types.intc(types.voidptr, types.voidptr, types.intc))

#: ``bounds(state, lower, upper)``: proved bounds on Black's value into two float32; returns 2 if they are equal, 1 if
#: they say more than that either player can copy the other, 0 otherwise.
bounds = types.ExternalFunction(_SYMBOLS["wts_bounds"], types.intc(types.voidptr, types.voidptr, types.voidptr))

#: ``evaluate(state, weights)``: Black's value by the evaluation, -1, 0 or 1 where the game is over.
#: `weights` is the block of `evaluation.weights`.
evaluate = types.ExternalFunction(_SYMBOLS["wts_eval"], types.float32(types.voidptr, types.voidptr))

#: ``evaluate_cell(state, weights, black, white)``: the same after a legal turn.
evaluate_cell = types.ExternalFunction(
    _SYMBOLS["wts_eval_cell"], types.float32(types.voidptr, types.voidptr, types.intc, types.intc)
)

#: ``evaluate_matrix(state, weights, cells)``: the same after each joint turn, row by row into float32 `cells`, which
#: has room for 81 x 81; rows and columns are the empty squares, ascending. Returns their number, 0 where it is over.
evaluate_matrix = types.ExternalFunction(
    _SYMBOLS["wts_eval_matrix"], types.intc(types.voidptr, types.voidptr, types.voidptr)
)


def state_words(position: _kernel.Position) -> npt.NDArray[np.uint64]:
    """Return a position as words, a copy."""
    return np.frombuffer(position.to_bytes(), dtype=np.uint64).copy()
