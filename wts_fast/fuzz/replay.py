"""Replay files of the fuzzer: a position and the turns that showed a difference, shrunk as far as it stays."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .. import __version__
from ..errors import WtsError
from ..files import write_text_atomically
from ..notation import format_state, format_turn, parse_position, parse_turn
from ..squares import NUM_SQUARES
from ..state import State
from .check import ALL_IMAGES, Difference, Engine, check_engine, compare_positions, compare_refusals, compare_turn

__all__ = ["Replay", "load_replay", "run_replay", "save_replay", "shrink"]

#: A replay file is a few hundred characters; what is far longer is none.
MAX_BYTES = 1_000_000

#: Shrinking tries that many candidates at most; a board has 81 pieces to leave away, a few times over.
MAX_TRIES = 2000


@dataclass(frozen=True, slots=True)
class Replay:
    """Turns from a position on which both engines must agree.

    Attributes
    ----------
    seed : int or None
        The seed of the fuzz game that found it; None where it was made by hand.
    position : State
        Where it begins.
    turns : tuple of (int, int)
        Black's and White's squares.
    difference : str
        What differed when it was found, or what it shows.
    version : str
        The version of this package that wrote it.
    """

    seed: int | None
    position: State
    turns: tuple[tuple[int, int], ...]
    difference: str
    version: str = __version__

    @property
    def file_name(self) -> str:
        """The name of its file: the seed in 16 hexadecimal digits."""
        return f"0x{self.seed or 0:016X}.json"

    def as_dict(self) -> dict[str, Any]:
        """Return what the file holds."""
        return {
            "seed": None if self.seed is None else f"0x{self.seed:016X}",
            "position": format_state(self.position),
            "turns": [format_turn(*turn) for turn in self.turns],
            "difference": self.difference,
            "version": self.version,
        }


def save_replay(replay: Replay, folder: str | os.PathLike[str]) -> Path:
    """Write a replay file into a folder, which is made if need be, and return its path.

    Raises
    ------
    OSError
        If that is not possible.
    """
    path = Path(folder) / replay.file_name
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text_atomically(path, json.dumps(replay.as_dict(), indent=2) + "\n")
    return path


def load_replay(path: str | os.PathLike[str]) -> Replay:
    """Read a replay file.

    Raises
    ------
    WtsError
        If the file is no replay; it names the field.
    OSError
        If the file cannot be read.
    """
    with open(path, "rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise _no_replay(f"a replay file has at most {MAX_BYTES} bytes", None)
    try:
        content = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        raise _no_replay("not a JSON file", None) from None
    fields = ("seed", "position", "turns", "difference", "version")
    if not isinstance(content, dict) or sorted(content) != sorted(fields):
        raise _no_replay(f"a replay is an object with the fields {', '.join(fields)}", None)
    for name in ("position", "difference", "version"):
        if not isinstance(content[name], str):
            raise _no_replay("expected a text", name)
    turns = content["turns"]
    if not isinstance(turns, list) or not all(isinstance(turn, str) for turn in turns):
        raise _no_replay("expected a list of turns", "turns")
    return Replay(
        seed=_seed(content["seed"]),
        position=parse_position(content["position"]),
        turns=tuple(parse_turn(turn) for turn in turns),
        difference=content["difference"],
        version=content["version"],
    )


def _seed(value: object) -> int | None:
    if value is None:
        return None
    digits = value[2:] if isinstance(value, str) and value.startswith("0x") else ""
    if not 1 <= len(digits) <= 16 or not set(digits) <= set("0123456789abcdefABCDEF"):
        raise _no_replay("expected null or 0x and up to 16 hexadecimal digits", "seed")
    return int(digits, 16)


def _no_replay(reason: str, field: str | None) -> WtsError:
    return WtsError(reason, code="replay", field=field)


#: Of the slow engine only some images are looked at: what it does under the others, the kernel does too.
_FEW_IMAGES = ALL_IMAGES[1::5]


def run_replay(replay: Replay, kernel: Engine, oracle: Engine, *, deep: bool = True) -> Difference | None:
    """Play a replay on both engines.

    Parameters
    ----------
    replay : Replay
        What to play.
    kernel, oracle : class
        The two classes ``Position``.
    deep : bool
        Whether each turn is also checked on each engine alone: symmetries, rebuilding, canonical form.

    Returns
    -------
    Difference or None
        The first difference; None if the engines agree, which includes that both refuse a turn alike.
    """
    try:
        fast, slow = kernel.from_state(replay.position), oracle.from_state(replay.position)
    except Exception as error:
        return Difference("position", f"raised {type(error).__name__}: {error}")
    difference = compare_positions(fast, slow)
    for black, white in replay.turns:
        if difference is not None:
            return difference
        if black not in slow.legal or white not in slow.legal:
            return compare_refusals(fast, slow, black, white)
        before = fast, slow
        fast, slow, _, difference = compare_turn(fast, slow, black, white)
        if deep and difference is None:
            difference = check_engine(before[0], black, white)
            difference = difference or check_engine(before[1], black, white, _FEW_IMAGES)
    if difference is None and slow.outcome is not None:
        # A finished game must refuse every square, empty or not.
        difference = compare_refusals(fast, slow, 0, NUM_SQUARES - 1)
    return difference


def shrink(
    replay: Replay,
    states: Sequence[State],
    fails: Callable[[Replay], bool],
) -> Replay:
    """Make a failing replay smaller while it still fails.

    Parameters
    ----------
    replay : Replay
        A whole game.
    states : sequence of State
        The positions before each of its turns.
    fails : callable
        Tells whether a candidate still shows a difference.

    Returns
    -------
    Replay
        The shortest tail of the game that fails from its own position, then with turns and pieces left away one
        by one; `replay` itself if it does not fail when it is played again.
    """
    if not fails(replay):
        return replay
    for first in range(len(states) - 1, 0, -1):
        tail = replace(replay, position=states[first], turns=replay.turns[first:])
        if fails(tail):
            replay = tail
            break
    tries = 0
    smaller = True
    while smaller:
        smaller = False
        for candidate in _smaller(replay):
            tries += 1
            if tries > MAX_TRIES:
                return replay
            if fails(candidate):
                replay, smaller = candidate, True
                break
    return replay


def _smaller(replay: Replay) -> list[Replay]:
    """Return the replays that lack one turn or one piece."""
    turns, state = replay.turns, replay.position
    candidates = [replace(replay, turns=turns[:i] + turns[i + 1 :]) for i in range(len(turns))]
    for squares, name in zip(state, state._fields, strict=True):
        for s in squares:
            rest = tuple(t for t in squares if t != s)
            candidates.append(replace(replay, position=state._replace(**{name: rest})))
    return candidates
