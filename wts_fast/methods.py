"""Which searches there are, by name: the one list behind `analyze`, ``--method`` and matches.

A search is a function ``run(position, seed, threads, budget, **options) -> SearchResult`` in a module of its own, and
a line in `METHODS`. The module is loaded when the search is first used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Protocol

from .errors import WtsError

if TYPE_CHECKING:
    from .mcts import Rule
    from .search import SearchResult

__all__ = ["DEFAULT", "METHODS", "OPTIONS", "Method", "Option", "Run", "method"]


class Run(Protocol):
    """A search."""

    def __call__(self, *args: Any, **options: Any) -> SearchResult:
        """Search a position whose game is not over.

        Parameters
        ----------
        *args
            position : Position, seed : int, threads : int, budget : Budget. Options, seed and nodes fix the answer.
        **options
            Of those in `OPTIONS`, some that the method knows.
        """


@dataclass(frozen=True, slots=True)
class Option:
    """A setting that some searches know.

    Attributes
    ----------
    name, about : str
        What it is called, and what it does, in one line.
    words : tuple of str
        What it can be; empty for numbers.
    least, most : float
        The range of a number.
    whole : bool
        Whether only whole numbers will do.
    """

    name: str
    about: str
    words: tuple[str, ...] = ()
    least: float = 0.0
    most: float = 1.0
    whole: bool = False

    def check(self, value: object) -> Any:
        """Return a value that is one.

        Raises
        ------
        WtsError
            If it is none (code ``option-value``, field the option's name).
        """
        if self.words:
            if isinstance(value, str) and value in self.words:
                return value
            raise WtsError(f"expected {' or '.join(self.words)}", code="option-value", field=self.name)
        if isinstance(value, Integral if self.whole else Real) and not isinstance(value, bool):
            number: Any = int(value) if isinstance(value, Integral) else float(value)
            if self.least <= number <= self.most:
                return number
        kind = "a whole number" if self.whole else "a number"
        raise WtsError(f"expected {kind} from {self.least:g} to {self.most:g}", code="option-value", field=self.name)

    def read(self, text: str) -> Any:
        """Return the value that a text of a command names; raises as `check` does."""
        if self.words:
            return self.check(text)
        try:
            # Python reads digits of any script, and underlines between them; a command takes plain numbers.
            return self.check((int if self.whole else float)(text) if text.isascii() and "_" not in text else None)
        except (ValueError, OverflowError):
            return self.check(None)


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
    options : tuple of str
        The names of the options that this function knows.
    limited : bool
        Whether it takes ``only``, a `search.Only`.
    """

    name: str
    about: str
    load: Callable[[], Run]
    options: tuple[str, ...] = ()
    limited: bool = False

    def check(self, options: dict[str, object]) -> dict[str, Any]:
        """Return the options that are given, those that are not None.

        Raises
        ------
        WtsError
            If one has a value that it cannot have (code ``option-value``), or this search does not know it
            (``option-name``); the field is the option's name.
        """
        given = {name: value for name, value in options.items() if value is not None}
        for name, value in given.items():
            OPTIONS[name].check(value)
            if name not in self.options:
                there = f"it knows {', '.join(self.options)}" if self.options else "it knows none"
                raise WtsError(f"no option of method {self.name}; {there}", code="option-name", field=name)
        return given


def _flat() -> Run:
    from .flat import run

    return run


def _tree() -> Run:
    from .tree_search import run

    return run


def _mcts(rule: Rule) -> Callable[[], Run]:
    def load() -> Run:
        from functools import partial

        from .mcts import run

        return partial(run, rule=rule)

    return load


#: Every option by its name.
OPTIONS = {
    o.name: o
    for o in (
        Option("leaf", "how new positions are valued: playouts or evaluation", ("playouts", "evaluation")),
        Option("final", "which strategies are the answer: average or root-matrix", ("average", "root-matrix")),
        Option("exploration", "the method's parameter of exploration, 0 to 1; its paper's if left out", most=1.0),
        Option("weights", "whose weights the evaluation has: fitted or hand; fitted if left out", ("fitted", "hand")),
        Option("learners", "trees grown beside each other, for as many threads; 1 if left out", (), 1, 64, True),
    )
}

_MCTS = ("leaf", "weights", "final", "exploration", "learners")

#: Every search by its name.
METHODS = {
    m.name: m
    for m in (
        Method("flat", "random games behind sampled turns, and regret matching on what they came to", _flat),
        Method("duct", "Monte Carlo tree, decoupled UCT", _mcts("duct"), _MCTS),
        Method("rm", "Monte Carlo tree, regret matching", _mcts("rm"), _MCTS),
        Method("rm+", "Monte Carlo tree, regret matching+", _mcts("rm+"), _MCTS),
        Method("exp3", "Monte Carlo tree, exponential weights", _mcts("exp3"), _MCTS),
        Method("oos", "Monte Carlo tree, online outcome sampling", _mcts("oos"), _MCTS),
        Method("tree", "a best-first tree that solves a matrix game at every node", _tree, ("weights",), limited=True),
    )
}

#: What `analyze` uses.
DEFAULT = "tree"


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
