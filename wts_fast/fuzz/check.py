"""One turn on both engines, compared in everything that can be seen; and what must hold of each engine alone."""

from __future__ import annotations

import copy
import itertools
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol

from ..errors import WtsError
from ..notation import format_state
from ..squares import COLOURS, DIRECTIONS, SYMMETRIES, Colour
from ..state import (
    Capture,
    Dissolve,
    EggLaid,
    Event,
    Hatch,
    Outcome,
    Placement,
    Row,
    State,
    Turn,
    Verdict,
)
from .boards import SYMMETRY_MAPS, map_direction

__all__ = [
    "ALL_IMAGES",
    "AnyPosition",
    "Difference",
    "Engine",
    "check_engine",
    "compare_positions",
    "compare_refusals",
    "compare_turn",
    "map_events",
    "map_state",
    "rebuild",
]


class AnyPosition(Protocol):
    """What the fuzzer uses of a position of either engine."""

    @property
    def state(self) -> State: ...  # noqa: D102
    @property
    def legal(self) -> tuple[int, ...]: ...  # noqa: D102
    @property
    def outcome(self) -> Outcome | None: ...  # noqa: D102
    @property
    def sudden_death(self) -> bool: ...  # noqa: D102
    @property
    def key(self) -> int: ...  # noqa: D102
    def winning(self, colour: Any) -> tuple[int, ...]: ...  # noqa: D102
    def play(self, black: Any, white: Any) -> Any: ...  # noqa: D102
    def explain(self, black: Any, white: Any) -> Turn[Any]: ...  # noqa: D102
    def transform(self, symmetry: str, swap_colours: bool = False) -> Any: ...  # noqa: D102
    def canonical(self) -> Any: ...  # noqa: D102


#: The 16 ways to see a position: each symmetry with the colours as they are and swapped.
ALL_IMAGES: Final = tuple(itertools.product(SYMMETRIES, (False, True)))

#: A class ``Position``: the kernel's, the oracle's, or a broken one in a test of the fuzzer.
Engine = Any


@dataclass(frozen=True, slots=True)
class Difference:
    """Something on which the engines differ, or that one of them must not do.

    Attributes
    ----------
    what : str
        A short word for the thing compared, for example ``"events"``.
    text : str
        Both answers, in one line.
    """

    what: str
    text: str

    def __str__(self) -> str:
        return f"{self.what}: {self.text}"


def compare_positions(kernel: AnyPosition, oracle: AnyPosition) -> Difference | None:
    """Return the first thing in which two positions differ, or None."""
    try:
        if kernel.state != oracle.state:
            return _differ("state", format_state(kernel.state), format_state(oracle.state))
        if str(kernel) != str(oracle):
            return _differ("text", str(kernel), str(oracle))
        if kernel.legal != oracle.legal:
            return _differ("legal", kernel.legal, oracle.legal)
        if kernel.outcome is not oracle.outcome:
            return _differ("outcome", kernel.outcome, oracle.outcome)
        if kernel.sudden_death is not oracle.sudden_death:
            return _differ("sudden death", kernel.sudden_death, oracle.sudden_death)
        for colour in COLOURS:
            if kernel.winning(colour) != oracle.winning(colour):
                return _differ(f"winning {colour}", kernel.winning(colour), oracle.winning(colour))
        if kernel.key != oracle.key:
            return _differ("key", kernel.key, oracle.key)
    except Exception as error:
        return _broke("position", error)
    return None


def compare_turn(
    kernel: AnyPosition, oracle: AnyPosition, black: int, white: int
) -> tuple[Any, Any, tuple[Event, ...], Difference | None]:
    """Play one legal turn on both engines.

    Returns
    -------
    tuple
        The kernel's position, the oracle's position, the events, and the first difference or None. The
        positions are meaningless where there is a difference.
    """
    try:
        turn = oracle.explain(black, white)
    except Exception as error:
        return kernel, oracle, (), _broke("oracle explain", error)
    try:
        played = kernel.play(black, white)
        explained = kernel.explain(black, white)
    except Exception as error:
        return kernel, oracle, (), _broke("kernel turn", error)
    difference = compare_positions(played, turn.position)
    if difference is None and explained.events != turn.events:
        difference = _differ("events", list(explained.events), list(turn.events))
    if difference is None and (explained.position != played or explained.position.state != played.state):
        difference = Difference("play", f"play gives {played}, explain gives {explained.position}")
    return played, turn.position, turn.events, difference


def compare_refusals(kernel: AnyPosition, oracle: AnyPosition, black: Any, white: Any) -> Difference | None:
    """Ask both engines for a turn that is not allowed; return how their refusals differ, or None."""
    answers = [_refusal(p, black, white) for p in (kernel, oracle)]
    if answers[0] != answers[1]:
        return _differ(f"refusal of {black} {white}", answers[0], answers[1])
    if answers[0] == "allowed":
        return Difference("refusal", f"both engines allow {black} {white}")
    return compare_positions(kernel, oracle)


def _refusal(position: AnyPosition, black: Any, white: Any) -> str:
    answers = []
    for ask in (position.play, position.explain):
        try:
            ask(black, white)
            answers.append("allowed")
        except WtsError as error:
            answers.append(f"{type(error).__name__} {error.code} {error.field}")
        except Exception as error:
            answers.append(f"{type(error).__name__} {error}")
    return answers[0] if answers[0] == answers[1] else f"play {answers[0]}, explain {answers[1]}"


def map_state(state: State, symmetry: str, swap: bool) -> State:
    """Return the state under a symmetry, colours swapped if `swap`."""
    squares = SYMMETRY_MAPS[symmetry]
    black = tuple(sorted(squares[s] for s in state.black))
    white = tuple(sorted(squares[s] for s in state.white))
    eggs = tuple(squares[s] for s in state.eggs)
    return State(white, black, eggs) if swap else State(black, white, eggs)


_DIRECTION_NUMBERS = {name: i for i, (name, _, _) in enumerate(DIRECTIONS)}


def _order(event: Event) -> tuple[Any, ...]:
    """Return the place of an event among its like: by colour, then direction or squares."""
    colour = COLOURS.index(event.colour) if isinstance(event, (Placement, Capture, Row)) else 0
    if isinstance(event, Capture):
        return colour, _DIRECTION_NUMBERS[event.direction]
    return (colour, event.squares) if isinstance(event, Row) else (colour,)


def map_events(events: Sequence[Event], symmetry: str, swap: bool) -> tuple[Event, ...]:
    """Return the events of a turn under a symmetry, again in the documented order."""
    groups: list[list[Event]] = []
    for event in events:
        mapped = _map_event(event, symmetry, swap)
        # Placements, captures after one arrival or one pair of arrivals, and rows are sorted among themselves.
        if groups and type(groups[-1][0]) is type(mapped) and isinstance(mapped, (Placement, Capture, Row)):
            groups[-1].append(mapped)
        else:
            groups.append([mapped])
    return tuple(event for group in groups for event in sorted(group, key=_order))


def _map_event(event: Event, symmetry: str, swap: bool) -> Event:
    squares = SYMMETRY_MAPS[symmetry]

    def colour(name: Colour) -> Colour:
        return name if not swap else "white" if name == "black" else "black"

    match event:
        case Placement():
            return Placement(colour(event.colour), squares[event.square])
        case EggLaid():
            return EggLaid(squares[event.square])
        case Capture():
            return Capture(
                colour(event.colour),
                squares[event.arrival],
                map_direction(symmetry, event.direction),
                (squares[event.victims[0]], squares[event.victims[1]]),
                squares[event.end],
            )
        case Hatch():
            return Hatch(colour(event.colour), squares[event.square])
        case Dissolve():
            return Dissolve(squares[event.square])
        case Row():
            return Row(colour(event.colour), tuple(sorted(squares[s] for s in event.squares)))
        case Verdict():
            if not swap:
                return event
            return Verdict(_map_outcome(event.outcome, swap), event.white, event.black)
    raise TypeError(f"no event: {event!r}")


def _map_outcome(outcome: Outcome | None, swap: bool) -> Outcome | None:
    return Outcome(-outcome.value) if outcome is not None and swap else outcome


def rebuild(position: AnyPosition) -> Difference | None:
    """Compare a position with what its state and its text alone give (nothing may be left over from the game)."""
    engine: Engine = type(position)
    again: list[tuple[str, Callable[[], Any]]] = [
        ("from state", lambda: engine.from_state(position.state)),
        ("from text", lambda: engine(str(position))),
    ]
    again += [
        (f"pickle {protocol}", partial(lambda p: pickle.loads(pickle.dumps(position, p)), protocol))
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
    ]
    for name, make in again:
        try:
            twin = make()
        except Exception as error:
            return _broke(name, error)
        difference = compare_positions(twin, position)
        if difference is not None:
            return Difference(name, str(difference))
        if twin != position or hash(twin) != hash(position):
            return Difference(name, "neither equal nor of one hash though the state is the same")
    if copy.copy(position) is not position or copy.deepcopy(position) is not position:
        return Difference("copy", "a copy of a value is the value itself")
    if not repr(position).endswith(f"Position({str(position)!r})"):
        return Difference("repr", repr(position))
    return None


def check_engine(
    before: AnyPosition,
    black: int,
    white: int,
    images: Sequence[tuple[str, bool]] = ALL_IMAGES,
) -> Difference | None:
    """Check one turn of one engine against itself: symmetries, colour swap, rebuilding, canonical form.

    Parameters
    ----------
    before : position
        Where the turn is played; the game is not over.
    black, white : int
        A legal turn.
    images : sequence of (str, bool)
        The symmetries to try, with or without swapped colours.

    Returns
    -------
    Difference or None
    """
    try:
        turn = before.explain(black, white)
        difference = rebuild(before) or rebuild(turn.position)
        for symmetry, swap in images:
            difference = difference or _check_image(before, turn, black, white, symmetry, swap)
        if difference is None and len(images) > 1:
            difference = _check_canonical(before, images)
    except Exception as error:
        return _broke("check", error)
    return difference


def _check_image(
    before: AnyPosition, turn: Turn[Any], black: int, white: int, symmetry: str, swap: bool
) -> Difference | None:
    name = f"{symmetry}{' swapped' if swap else ''}"
    image = before.transform(symmetry, swap)
    if image.state != map_state(before.state, symmetry, swap):
        return Difference(name, f"transform gives {image}")
    squares = SYMMETRY_MAPS[symmetry]
    turn_squares = squares[black], squares[white]
    mapped = image.explain(*(reversed(turn_squares) if swap else turn_squares))
    expected = map_state(turn.position.state, symmetry, swap)
    if mapped.position.state != expected:
        return Difference(name, f"the turn gives {mapped.position}, not {format_state(expected)}")
    events = map_events(turn.events, symmetry, swap)
    if mapped.events != events:
        return Difference(name, f"the events are {list(mapped.events)}, not {list(events)}")
    if mapped.position.outcome is not _map_outcome(turn.position.outcome, swap):
        return Difference(name, f"the outcome is {mapped.position.outcome}")
    if sorted(image.legal) != sorted(squares[s] for s in before.legal):
        return Difference(name, f"the legal squares are {image.legal}")
    return None


def _check_canonical(before: AnyPosition, images: Sequence[tuple[str, bool]]) -> Difference | None:
    least = min(format_state(map_state(before.state, name, swap)) for name, swap in ALL_IMAGES)
    for symmetry, swap in images:
        found = before.transform(symmetry, swap).canonical()
        if str(found) != least:
            return Difference("canonical", f"{found} of {symmetry}{' swapped' * swap}, not {least}")
    return None


def _differ(what: str, kernel: object, oracle: object) -> Difference:
    return Difference(what, f"kernel {kernel}, oracle {oracle}")


def _broke(where: str, error: Exception) -> Difference:
    # An engine that raises is a finding, whatever it raises; the run goes on to shrink it.
    return Difference(where, f"raised {type(error).__name__}: {error}")
