"""Which searches there are, by name: the one list behind `analyze`, ``--method`` and matches.

A search is a function ``run(position, seed, threads, budget) -> SearchResult`` in a module of its own, and a line in
`METHODS`. The module is loaded when the search is first used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from .errors import WtsError

if TYPE_CHECKING:
    from ._kernel import Position
    from .search import Budget, SearchResult

__all__ = ["DEFAULT", "METHODS", "Method", "Run", "method"]


class Run(Protocol):
    """A search."""

    def __call__(self, position: Position, seed: int, threads: int, budget: Budget, /) -> SearchResult:
        """Search a position whose game is not over; a seed and a number of nodes fix the answer."""


@dataclass(frozen=True, slots=True)
class Method:
    """One way to search.

    Attributes
    ----------
    name : str
        As users write it.
    about : str
        What it does, in one line.
    load : callable
        Returns the function that searches a position whose game is not over.
    """

    name: str
    about: str
    load: Callable[[], Run]


def _flat() -> Run:
    from .flat import run

    return run


def _tree() -> Run:
    from .tree import run

    return run


#: Every search by its name.
METHODS = {
    m.name: m
    for m in (
        Method("flat", "random games behind sampled turns, and regret matching on what they came to", _flat),
        Method("tree", "a best-first tree that solves a matrix game at every node", _tree),
    )
}

#: What `analyze` uses.
DEFAULT = "flat"


def method(name: object) -> Method:
    """Return the search of a name.

    Raises
    ------
    WtsError
        If there is none (code ``method-name``, field ``method``); the reason lists the names.
    """
    found = METHODS.get(name) if isinstance(name, str) else None
    if found is None:
        raise WtsError(f"expected one of {', '.join(METHODS)}", code="method-name", field="method")
    return found
