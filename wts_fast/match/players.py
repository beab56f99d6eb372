"""Who plays: a line of text names a player, and the player names mixtures.

A player is written ``NAME`` or ``NAME:setting=value,...``:

- ``random`` plays every empty square with equal probability;
- a search by its name in `methods.METHODS`, with the settings of `analyze`: ``flat:nodes=2000``,
  ``flat:seconds=0.1,threads=1``; a tenth of a second a turn if it names no limit. ``tree`` keeps what it found behind
  the turn that was played, and its nodes come on top of that;
- ``one-turn`` plays the equilibrium of the evaluation's values after this turn; ``one-turn:weights=hand`` takes the
  weights set by hand;
- ``level:N`` is one of the eight levels that people play against (`levels`), 1 to 8;
- ``command:PROGRAM ARGUMENTS`` is a program that answers on its standard output, line by line, what it is asked on its
  standard input; ``command:nodes=2000,PROGRAM ARGUMENTS`` or ``command:seconds=0.5,PROGRAM ...`` sets the limit that it
  is told, a tenth of a second otherwise.

The program gets one JSON object a line and answers each with one, in order, before it is asked again::

    {"id": 7, "position": "9/9/9/9/4e4/9/9/9/9 E5", "seconds": 0.1, "seed": 123}
    {"id": 7, "black": {"D4": 0.5, "F6": 0.5}, "white": {"D4": 1.0}, "value": 0.05}

The limit is either ``seconds`` or ``nodes``. ``black`` and ``white`` are mixtures: empty squares with probabilities
that are together 1; the program is not told which of them it plays. The square is drawn here. ``value``, Black's, from
-1 to 1, may be left out. ``{"id": 7, "error": {"reason": "..."}}`` says that it
cannot answer. At the end of its input the program ends.
"""

from __future__ import annotations

import atexit
import contextlib
import inspect
import json
import math
import os
import re
import selectors
import shlex
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from .. import matrix, methods
from .._kernel import Position
from ..errors import WtsError
from ..evaluation import payoffs, weights
from ..limits import MOST_MEMORY, processors, whole
from ..search import Budget
from ..squares import Square, parse_square

if TYPE_CHECKING:
    from ..tree import Tree

__all__ = ["Answer", "Player", "Specification", "Stopped", "make", "specification"]

Floats = npt.NDArray[np.float64]

DEFAULT_SECONDS = 0.1
DEFAULT_WEIGHTS: Literal["fitted"] = "fitted"

#: A program that has not answered so long after its limit is given up; one with `nodes` gets this alone.
GRACE_SECONDS = 120.0

#: Longer lines are no answers.
_MOST_LINE = 1 << 20

_NUMBER = re.compile(r"[0-9]{1,12}(\.[0-9]{1,9})?")
_SETTING = re.compile(r"([a-z_]+)=([^,=]*)")


class Stopped(Exception):
    """The match was stopped while a player was thinking."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a player says about a position.

    Attributes
    ----------
    black, white : dict of int to float
        The mixtures, each together 1; empty where a program did not say.
    value : float or None
        Black's value.
    """

    black: Mapping[Square, float]
    white: Mapping[Square, float]
    value: float | None


class Player(Protocol):
    """Anything that can be asked."""

    def ask(self, position: Position, colour: int, seed: int, should_stop: Callable[[], bool]) -> Answer:
        """Return an `Answer` with the mixture of `colour` (0: Black) at least; raise `Stopped` once told to stop."""


@dataclass(frozen=True, slots=True)
class Specification:
    """A player as text, taken apart and checked.

    Attributes
    ----------
    text : str
        As it was written.
    kind : str
        ``random``, ``level``, ``command`` or the name of a search.
    settings : tuple of (str, value)
        In the order written.
    command : tuple of str
        Of ``command`` only: the program and its arguments.
    """

    text: str
    kind: str
    settings: tuple[tuple[str, Any], ...] = ()
    command: tuple[str, ...] = ()


def specification(text: str, field: str = "player") -> Specification:
    """Read a player.

    Raises
    ------
    WtsError
        If no player is written like that (codes ``player-name``, ``player-setting``, ``player-command``).

    Examples
    --------
    >>> specification("flat:nodes=2000").settings
    (('nodes', 2000),)
    """
    kind, _, rest = text.partition(":")
    if kind == "random":
        if rest:
            raise WtsError("random has no settings", code="player-setting", field=field)
        return Specification(text, kind)
    if kind == "command":
        return _command(text, rest, field)
    if kind == "level":
        if not re.fullmatch("[1-8]", rest):
            raise WtsError(
                f"expected level:N with N from 1 to 8, not {text[:20]!r}", code="player-setting", field=field
            )
        return Specification(text, kind, (("level", int(rest)),))
    if kind not in methods.METHODS and kind != "one-turn":
        names = ", ".join(["random", "one-turn", "level:N", *methods.METHODS, "command"])
        raise WtsError(f"no player is called {kind[:20]!r}; there are {names}", code="player-name", field=field)
    if text.endswith(":"):
        raise WtsError("expected settings after the colon", code="player-setting", field=field)
    settings: dict[str, Any] = {}
    for part in rest.split(",") if rest else ():
        match = _SETTING.fullmatch(part)
        if match is None or match[1] in settings:
            raise WtsError(f"expected setting=value, each once, not {part[:30]!r}", code="player-setting", field=field)
        known = ("weights",) if kind == "one-turn" else _analyze_settings()
        settings[match[1]] = _setting(match[1], match[2], known, field)
    if kind == "one-turn":
        weights(settings.get("weights", DEFAULT_WEIGHTS))  # refused here if it is no name
    return Specification(text, kind, tuple(settings.items()))


def make(player: Specification) -> Player:
    """Return a player for one game; a program is started when it is first asked, and kept for later games."""
    if player.kind == "random":
        return _Random()
    if player.kind == "one-turn":
        return _OneTurn(player)
    if player.kind == "level":
        return _Level(player)
    if player.kind == "command":
        return _Program(player)
    return _Tree(player) if player.kind == "tree" else _Search(player)


def _analyze_settings() -> tuple[str, ...]:
    """Return what a search can be told: the keywords of `analyze` but those that a match sets itself."""
    from ..analysis import analyze

    own = {"method", "seed", "only", "report_every", "on_progress", "should_stop", "keep_on_interrupt"}
    return tuple(
        name
        for name, p in inspect.signature(analyze).parameters.items()
        if p.kind is p.KEYWORD_ONLY and name not in own
    )


def _setting(name: str, text: str, known: tuple[str, ...], field: str) -> Any:
    if name not in known:
        raise WtsError(
            f"no setting is called {name[:20]!r}; there are {', '.join(known)}", code="player-setting", field=field
        )
    if name == "seconds":
        if not _NUMBER.fullmatch(text) or not 0 < float(text) <= 86_400:
            raise WtsError(
                f"expected seconds, more than 0 and at most 86400, not {text[:20]!r}",
                code="player-setting",
                field=field,
            )
        return float(text)
    if name in methods.OPTIONS:
        return methods.OPTIONS[name].read(text)
    if name in ("nodes", "threads", "memory_mb"):
        if not re.fullmatch(r"[0-9]{1,15}", text) or int(text) < 1:
            raise WtsError(
                f"expected {name}, a whole number from 1, not {text[:20]!r}", code="player-setting", field=field
            )
        return int(text)
    return text


def _command(text: str, rest: str, field: str) -> Specification:
    settings: dict[str, Any] = {}
    while match := re.match(r"(seconds|nodes)=([^,]*),", rest):
        settings[match[1]] = _setting(match[1], match[2], ("seconds", "nodes"), field)
        rest = rest[match.end() :]
    if len(settings) > 1:
        raise WtsError("a program gets seconds or nodes, not both", code="player-setting", field=field)
    try:
        words = tuple(shlex.split(rest))
    except ValueError as error:
        raise WtsError(f"the command cannot be read: {error}", code="player-command", field=field) from None
    if not words or "\0" in rest:
        raise WtsError("expected a program after command:", code="player-command", field=field)
    return Specification(text, "command", tuple(settings.items()) or (("seconds", DEFAULT_SECONDS),), words)


class _Random:
    def ask(self, position: Position, colour: int, seed: int, should_stop: Callable[[], bool]) -> Answer:
        legal = position.legal
        mixture = dict.fromkeys(legal, 1 / len(legal))
        return Answer(mixture, mixture, None)


class _OneTurn:
    def __init__(self, player: Specification) -> None:
        self.weights = weights(dict(player.settings).get("weights", DEFAULT_WEIGHTS))

    def ask(self, position: Position, colour: int, seed: int, should_stop: Callable[[], bool]) -> Answer:
        found = matrix.solve(payoffs(position, self.weights))
        return _said(position, found.black, found.white, found.value)


class _Level:
    def __init__(self, player: Specification) -> None:
        self.number: int = dict(player.settings)["level"]

    def ask(self, position: Position, colour: int, seed: int, should_stop: Callable[[], bool]) -> Answer:
        from ..levels import choose

        chosen = choose(position, colour, self.number, seed=seed, should_stop=should_stop)
        if should_stop():
            raise Stopped
        mixture = {square: float(chosen.strategy[square]) for square in position.legal if chosen.strategy[square] > 0}
        # A level says what it plays itself; the draw is the match's.
        return Answer({}, mixture, chosen.value) if colour else Answer(mixture, {}, chosen.value)


class _Search:
    def __init__(self, player: Specification) -> None:
        self.method = player.kind
        self.settings = dict(player.settings)
        if "seconds" not in self.settings and "nodes" not in self.settings:
            self.settings["seconds"] = DEFAULT_SECONDS

    def ask(self, position: Position, colour: int, seed: int, should_stop: Callable[[], bool]) -> Answer:
        from ..analysis import analyze

        found = analyze(position, method=self.method, seed=seed, should_stop=should_stop, **self.settings)
        if found.stopped_by == "interrupt":
            raise Stopped
        legal = list(position.legal)
        return _said(position, found.black[legal], found.white[legal], found.value)


class _Tree:
    """The tree search; its tree follows the game."""

    def __init__(self, player: Specification) -> None:
        settings = dict(player.settings)
        self.nodes: int | None = settings.get("nodes")
        self.seconds: float | None = settings.get("seconds", DEFAULT_SECONDS if self.nodes is None else None)
        self.threads = min(settings.get("threads", 1), processors())
        self.memory_mb = whole(settings.get("memory_mb", Budget().memory_mb), "memory_mb", 1, MOST_MEMORY)
        self.options = methods.method(player.kind).check({name: settings.get(name) for name in methods.OPTIONS})
        self.tree: Tree | None = None

    def ask(self, position: Position, colour: int, seed: int, should_stop: Callable[[], bool]) -> Answer:
        from ..tree import Tree
        from ..tree_search import search

        if self.tree is None:
            self.tree = Tree(position, memory_mb=self.memory_mb, threads=self.threads, **self.options)
        started = time.perf_counter()
        kept = self.tree.follow(position) and self.tree.nodes > 1
        most = None if self.nodes is None else self.nodes - (not kept)
        budget = Budget(self.seconds, should_stop=should_stop)
        found = search(self.tree, budget, most, started, 0.0)
        if found.stopped_by == "interrupt":
            raise Stopped
        return _said(position, found.black, found.white, found.value)


def _said(position: Position, black: Floats, white: Floats, value: float) -> Answer:
    """Return strategies over the legal squares as an answer."""
    one, other = (
        {square: part for square, part in zip(position.legal, mix.tolist(), strict=True) if part > 0}
        for mix in (black, white)
    )
    return Answer(one, other, min(1.0, max(-1.0, value)))


class _Program:
    """A program at the other end of two pipes; one for each specification and thread, as it can be asked one thing."""

    def __init__(self, player: Specification) -> None:
        self.player = player
        self.limit: dict[str, Any] = dict(player.settings)

    def ask(self, position: Position, colour: int, seed: int, should_stop: Callable[[], bool]) -> Answer:
        running: dict[Specification, _Running] = _PROGRAMS.__dict__.setdefault("running", {})
        program = running.get(self.player)
        if program is None:
            program = running[self.player] = _Running(self.player.command)
        try:
            program.asked += 1
            query = {"id": program.asked, "position": str(position), **self.limit, "seed": seed}
            line = program.exchange(query, self.limit.get("seconds", 0.0) + GRACE_SECONDS, should_stop)
            return _answer(line, program.asked, position, colour, program.name)
        except BaseException:
            # Whatever it says next would be the answer to this.
            del running[self.player]
            program.close()
            raise


_PROGRAMS = threading.local()


class _Running:
    def __init__(self, command: tuple[str, ...]) -> None:
        self.name = command[0]
        self.asked = 0
        self.rest = b""
        try:
            # A session of its own: Ctrl-C at the terminal is for the match, which then ends its programs.
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, start_new_session=True
            )
        except OSError as error:
            raise WtsError(
                f"{self.name} cannot be started: {error.strerror or error}", code="player-program", field="player"
            ) from None
        atexit.register(self.close)

    def exchange(self, query: dict[str, Any], seconds: float, should_stop: Callable[[], bool]) -> bytes:
        """Send a query and return the line that answers it."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(json.dumps(query).encode() + b"\n")
        except OSError:
            raise self._ended() from None
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.rest:
                if should_stop():
                    raise Stopped
                left = deadline - time.monotonic()
                if left <= 0 or len(self.rest) > _MOST_LINE:
                    what = "did not answer in time" if left <= 0 else "answered with an endless line"
                    raise WtsError(f"{self.name} {what}", code="player-program", field="player")
                if selector.select(min(left, 0.1)):
                    data = os.read(self.process.stdout.fileno(), 1 << 16)
                    if not data:
                        raise self._ended()
                    self.rest += data
        line, _, self.rest = self.rest.partition(b"\n")
        return line

    def _ended(self) -> WtsError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(1.0)
        status = self.process.returncode
        return WtsError(
            f"{self.name} ended without an answer" + (f", status {status}" if status is not None else ""),
            code="player-program",
            field="player",
        )

    def close(self) -> None:
        """End the program: first by the end of its input, then by force."""
        atexit.unregister(self.close)
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        try:
            self.process.wait(0.5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def _answer(line: bytes, number: int, position: Position, colour: int, name: str) -> Answer:
    def bad(reason: str) -> WtsError:
        return WtsError(f"{name}: {reason}", code="player-answer", field="player")

    try:
        data = json.loads(line)
    except ValueError:
        raise bad(f"expected a line of JSON, not {line[:60].decode('utf-8', 'replace')!r}") from None
    if not isinstance(data, dict) or data.get("id") != number or isinstance(data.get("id"), bool):
        raise bad(f"expected an object with id {number}")
    if "error" in data:
        error = data["error"]
        reason = error.get("reason") if isinstance(error, dict) else error
        raise bad(f"cannot answer: {str(reason)[:200]}")
    mixes: list[dict[Square, float]] = []
    for index, which in enumerate(("black", "white")):
        given = data.get(which)
        if given is None and index != colour:
            mixes.append({})
            continue
        if not isinstance(given, dict) or not given:
            raise bad(f"expected {which}, an object of squares with probabilities")
        mix: dict[Square, float] = {}
        for square, part in given.items():
            if isinstance(part, bool) or not isinstance(part, (int, float)) or not 0 <= part <= 1 + 1e-6:
                raise bad(f"{which}: {square[:20]!r} needs a probability from 0 to 1")
            try:
                key = parse_square(square)
            except WtsError as error:
                raise bad(f"{which}: {error.reason}") from None
            if key in mix or (part > 0 and key not in position.legal):
                raise bad(f"{which}: {square} is {'there twice' if key in mix else 'not empty'}")
            mix[key] = float(part)
        total = math.fsum(mix.values())
        if not abs(total - 1) <= 1e-6:
            raise bad(f"{which}: the probabilities sum to {total:.9g}, not 1")
        mixes.append({key: part / total for key, part in mix.items() if part > 0})
    value = data.get("value")
    if value is not None and (
        isinstance(value, bool) or not isinstance(value, (int, float)) or not -1 - 1e-9 <= value <= 1 + 1e-9
    ):
        raise bad("expected value, a number from -1 to 1")
    return Answer(mixes[0], mixes[1], None if value is None else min(1.0, max(-1.0, float(value))))
