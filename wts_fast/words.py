"""A result in a few sentences: what is proved, what is threatened, and what kind of choice the players have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .squares import COLOURS, Colour, Square, square_name
from .state import Outcome
from .threats import Side, Threats

if TYPE_CHECKING:
    from ._kernel import Position

__all__ = ["Result", "words"]

_EXACT = 2e-6  # bounds are kept in single precision
_PURE = 0.95  # a square with so much of a mixture is the choice
_HALF = (0.4, 0.6)
_SETTLED = 0.01  # gains that are none
_EVEN = 0.05  # values so near to 0 favour nobody
_LESS = 0.005  # what is not worth a word

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """What is to be told: Black's value and bounds, and both mixtures over the 81 squares.

    Attributes
    ----------
    position : Position
        Where; its game is not over.
    black, white : ndarray, shape (81,)
        The mixtures.
    value : float or None
        Black's value, or an estimate of it; None where there is nothing but bounds.
    lower, upper : float
        What is proved about it.
    exploitability : float
        What the best replies to both mixtures would win together, as far as is known.
    needs_r25 : bool
        Whether the bounds hold only because play without end counts as a draw (R25).
    """

    position: Position
    black: npt.NDArray[np.float64]
    white: npt.NDArray[np.float64]
    value: float | None
    lower: float
    upper: float
    exploitability: float
    needs_r25: bool = False


def words(found: Result, threats: Threats) -> tuple[str, ...]:
    """Explain a result.

    Parameters
    ----------
    found : Result
        What a search or a solver gave.
    threats : Threats
        Those of the same position.

    Returns
    -------
    tuple of str
        Whole sentences. What is not proved is never called so.
    """
    sentences = []
    for colour in COLOURS:
        sentences += _completing(colour, threats.side(colour))
    # Mixtures that bounds are still far from say nothing yet.
    if found.value is not None or found.exploitability <= _SETTLED:
        sentences.append(_choice(found, threats))
        sentences.append(_standing(found, threats))
        sentences += _this_turn(found)
    proof = _proof(found)
    if found.needs_r25 and proof:
        proof += ["This takes play without end for a draw (R25)."]
    return tuple(s for s in (*sentences, *proof) if s)


def _completing(colour: Colour, side: Side) -> list[str]:
    """Say which squares complete a row, and how many of them the other player can stop."""
    rows = side.completions
    if not rows:
        return []
    player, other = colour.capitalize(), _other(colour).capitalize()
    names = _listed([square_name(row.square) for row in rows], "and")
    if len(rows) == 1:
        stops = [square_name(s) for s in rows[0].stopped_by]
        where = f"on {_listed(stops, 'or')}" if len(stops) <= 5 else f"on any of {len(stops)} squares"
        return [f"{names} completes a row for {player}; {other} can stop it {where}."]
    # One square may stop several rows, by a capture.
    stopped: dict[Square, int] = {}
    for row in rows:
        for square in row.stopped_by:
            stopped[square] = stopped.get(square, 0) + 1
    most = max(stopped.values())
    best = _listed([square_name(s) for s in sorted(stopped) if stopped[s] == most][:5], "or")
    if most == len(rows):
        can = f"{'both' if most == 2 else 'them all'} from {best}"
    else:
        can = f"{_number(most)} of them{f' at once, from {best}' if most > 1 else ''}"
    return [f"{_number(len(rows)).capitalize()} squares complete a row for {player}, {names}; {other} can stop {can}."]


def _choice(found: Result, threats: Threats) -> str:
    """Say what kind of choice it is: a square each, an even guess, or a wider mixture."""
    main = {colour: _main(mix) for colour, mix in zip(COLOURS, (found.black, found.white), strict=True)}
    if len(found.position.legal) == 1:
        return f"{square_name(found.position.legal[0])} is the only square: both must name it."
    gains = "no other square gains"
    if max(found.upper - found.lower, found.exploitability) > _EXACT:
        gains = f"{gains}, by estimate" if found.exploitability <= _SETTLED else f"{gains} much, by estimate"
    sure = {colour: len(squares) == 1 and part >= _PURE for colour, (squares, part) in main.items()}
    firsts = {colour: square_name(squares[0]) for colour, (squares, _) in main.items()}
    if all(sure.values()):
        if firsts["black"] == firsts["white"]:
            return f"{firsts['black']} for both: {gains}.{_use(main['black'][0][0], threats)}"
        return f"{firsts['black']} for Black and {firsts['white']} for White: {gains}."
    halves = {colour: _halves(mix) for colour, mix in zip(COLOURS, (found.black, found.white), strict=True)}
    if halves["black"] and halves["white"]:
        black, white = (_listed([square_name(s) for s in halves[colour]], "or") for colour in COLOURS)
        if black == white:
            return f"A 50:50 guess: {black}, for both."
        return f"A 50:50 guess: {black} for Black, {white} for White."
    for colour in COLOURS:
        if sure[colour]:
            other = _other(colour)
            return (
                f"{firsts[colour]} for {colour.capitalize()}; {other.capitalize()} mixes "
                f"{_number(len(main[other][0]))} squares."
            )
    spread = " and ".join(f"{_number(len(main[c][0]))} for {c.capitalize()}" for c in COLOURS)
    return f"Nine tenths of the mixtures lie on so many squares: {spread}."


def _standing(found: Result, threats: Threats) -> str:
    """Say who is ahead."""
    if found.value is None:
        return ""
    judged = "" if found.upper - found.lower <= _EXACT else ", by estimate"
    if abs(found.value) > _EVEN:
        ahead = "Black" if found.value > 0 else "White"
        return f"{ahead} is ahead with a score of {50 + 50 * abs(found.value):.0f} %{judged}."
    quiet = not any(threats.side(c).completions or threats.side(c).offers for c in COLOURS)
    kind = "A balanced opening" if quiet and _turtles(found.position) <= 4 else "Balanced"
    return f"{kind}: neither side is ahead{judged}."


def _use(square: Square, threats: Threats) -> str:
    """Say what a square that both name is good for."""
    rows = [c for c in COLOURS if any(row.square == square for row in threats.side(c).completions)]
    takes = [c for c in COLOURS if any(offer.square == square for offer in threats.side(c).offers)]
    name = square_name(square)
    if len(rows) == 2:
        return f" {name} wins for either, so neither can leave it to the other."
    if len(rows) == 1:
        return f" {rows[0].capitalize()} would win there, so {_other(rows[0]).capitalize()} must be there too."
    if len(takes) == 2:
        return f" {name} captures for either."
    return f" {name} captures for {takes[0].capitalize()}, unless both name it." if takes else ""


def _this_turn(found: Result) -> list[str]:
    """Say how likely the game ends in this turn."""
    ends = {Outcome.BLACK: 0.0, Outcome.WHITE: 0.0}
    for b in np.flatnonzero(found.black > 1e-4).tolist():
        for w in np.flatnonzero(found.white > 1e-4).tolist():
            outcome = found.position.play(b, w).outcome
            if outcome in ends:
                ends[outcome] += float(found.black[b] * found.white[w])
    said = [
        f"{100 * part:.0f} % for {side}"
        for side, part in (("Black", ends[Outcome.BLACK]), ("White", ends[Outcome.WHITE]))
        if part >= _LESS
    ]
    return [f"The chance of a win in this turn: {', '.join(said)}."] if said else []


def _proof(found: Result) -> list[str]:
    """Say what is proved, in scores: 100 % for a win, 50 % for a draw."""
    lower, upper = found.lower, found.upper
    if upper - lower <= _EXACT:
        if lower >= 1 - _EXACT:
            return ["Proved: a win for Black."]
        if upper <= -1 + _EXACT:
            return ["Proved: a win for White."]
        if abs(lower) <= _EXACT:
            return ["Proved: even chances."]
        return [f"Proved: Black's score is {50 + 25 * (lower + upper):.1f} %, where a draw counts half."]
    said = []
    for player, bound in (("Black", lower), ("White", -upper)):
        score = math.floor(500 * (1 + bound) + 1e-3) / 10  # rounded down: it is a bound
        if score > 0:
            said.append(f"{player} can score at least {score:.1f} %")
    return [f"Proved: {' and '.join(said)}, where a draw counts half."] if said else []


def _main(mix: npt.NDArray[np.float64]) -> tuple[list[Square], float]:
    """Return the fewest squares that hold nine tenths of a mixture, likeliest first, and the share of the first."""
    order = np.argsort(-mix, kind="stable")
    sums = np.cumsum(mix[order])
    count = int(np.searchsorted(sums, 0.9 - 1e-9)) + 1
    return [int(s) for s in order[:count]], float(mix[order[0]])


def _halves(mix: npt.NDArray[np.float64]) -> list[Square]:
    """Return the two squares between which a mixture guesses evenly; none if it does not."""
    squares = np.flatnonzero(mix >= _HALF[0]).tolist()
    even = len(squares) == 2 and float(mix.max()) <= _HALF[1] and float(mix[squares].sum()) >= _PURE
    return squares if even else []


def _turtles(position: Any) -> int:
    return len(position.state.black) + len(position.state.white)


def _other(colour: Colour) -> Colour:
    return "white" if colour == "black" else "black"


def _number(n: int) -> str:
    return _NUMBERS[n] if n < len(_NUMBERS) else str(n)


def _listed(names: Sequence[str], last: str) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"
