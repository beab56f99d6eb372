"""A fast engine and solver for What the Shell, the 9x9 game where both players move at once.

The names below are all there is to import; each is loaded when it is first used, so that
``import wts_fast`` costs nothing, and ``wts_fast.oracle`` works where nothing is compiled.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import errors as errors
    from . import matrix as matrix
    from . import oracle as oracle
    from ._kernel import Position
    from .analysis import analyze
    from .client import EngineClient
    from .engine import Batch, playouts
    from .game import Game
    from .solver import solve
    from .state import Outcome

__all__ = [
    "Batch",
    "EngineClient",
    "Game",
    "Outcome",
    "Position",
    "__version__",
    "analyze",
    "errors",
    "matrix",
    "oracle",
    "playouts",
    "solve",
]

__version__ = "0.1.0"

#: Where each public name lives; a name that is a module of its own lives nowhere else.
_HOMES = {
    "Batch": "engine",
    "EngineClient": "client",
    "Game": "game",
    "Outcome": "state",
    "Position": "_kernel",
    "analyze": "analysis",
    "errors": None,
    "matrix": None,
    "oracle": None,
    "playouts": "engine",
    "solve": "solver",
}


def __getattr__(name: str) -> object:
    try:
        home = _HOMES[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    module = importlib.import_module(f".{home or name}", __name__)
    value = getattr(module, name) if home else module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
