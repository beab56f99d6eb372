"""A result in a few sentences: what is proved, what is threatened, and what kind of choice the players have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .draw.captions import LANGUAGES, listed
from .squares import COLOURS, Colour, Square, square_name
from .state import Outcome
from .threats import Side, Threats

if TYPE_CHECKING:
    from ._kernel import Position
    from .analysis import Analysis
    from .solver import Solved

__all__ = ["LANGUAGES", "Result", "words"]

_EXACT = 2e-6  # bounds are kept in single precision
_PURE = 0.95  # a square with so much of a mixture is the choice
_HALF = (0.4, 0.6)
_SETTLED = 0.01  # gains that are none
_EVEN = 0.05  # values so near to 0 favour nobody
_LESS = 0.005  # what is not worth a word

_TEXTS: dict[str, dict[str, str]] = {
    "en": {
        "black": "Black",
        "white": "White",
        "numbers": "no one two three four five six seven eight nine",
        "and": "and",
        "or": "or",
        "row": "{square} completes a row for {player}; {other} can stop it {where}.",
        "row.on": "on {squares}",
        "row.any": "on any of {n} squares",
        "rows": "{N} squares complete a row for {player}, {squares}; {other} can stop {can}.",
        "rows.both": "both from {squares}",
        "rows.all": "them all from {squares}",
        "rows.one": "{n} of them",
        "rows.some": "{n} of them at once, from {squares}",
        "only": "{square} is the only square: both must name it.",
        "gains": "no other square gains",
        "gains.estimate": "no other square gains, by estimate",
        "gains.much": "no other square gains much, by estimate",
        "pure.same": "{square} for both: {gains}.{use}",
        "pure": "{black} for Black and {white} for White: {gains}.",
        "guess.same": "A 50:50 guess: {black}, for both.",
        "guess": "A 50:50 guess: {black} for Black, {white} for White.",
        "sure": "{square} for {player}; {other} mixes {n} squares.",
        "spread": "Black mixes {black} squares, White {white}, leaving out those that are rarely played.",
        "ahead": "{player} is ahead with a score of {score} %{judged}.",
        "even": "Balanced: neither side is ahead{judged}.",
        "opening": "A balanced opening: neither side is ahead{judged}.",
        "judged": ", by estimate",
        "use.rows": " {square} wins for either, so neither can leave it to the other.",
        "use.row": " {player} would win there, so {other} must be there too.",
        "use.takes": " {square} captures for either.",
        "use.take": " {square} captures for {player}, unless both name it.",
        "ends": "The chance of a win in this turn: {parts}.",
        "ends.part": "{score} % for {player}",
        "proved.win": "Proved: a win for {player}.",
        "proved.even": "Proved: even chances.",
        "proved.exact": "Proved: Black's score is {score} %, where a draw counts half.",
        "proved.bounds": "Proved: {parts}, where a draw counts half.",
        "proved.part": "{player} can score at least {score} %",
        "r25": "This takes play without end for a draw (R25).",
    },
    "de": {
        "black": "Schwarz",
        "white": "Weiß",
        "numbers": "kein ein zwei drei vier fünf sechs sieben acht neun",
        "and": "und",
        "or": "oder",
        "row": "{square} vollendet eine Reihe für {player}; {other} kann das {where} verhindern.",
        "row.on": "auf {squares}",
        "row.any": "auf jedem von {n} Feldern",
        "rows": "{N} Felder vollenden eine Reihe für {player}, {squares}; {other} kann {can} verhindern.",
        "rows.both": "beide von {squares} aus",
        "rows.all": "alle von {squares} aus",
        "rows.one": "{n}es davon",
        "rows.some": "{n} davon zugleich, von {squares} aus,",
        "only": "{square} ist das einzige Feld: Beide müssen es nennen.",
        "gains": "kein anderes Feld bringt mehr",
        "gains.estimate": "kein anderes Feld bringt mehr, nach Schätzung",
        "gains.much": "kein anderes Feld bringt viel mehr, nach Schätzung",
        "pure.same": "{square} für beide: {gains}.{use}",
        "pure": "{black} für Schwarz und {white} für Weiß: {gains}.",
        "guess.same": "Ein Ratespiel 50:50: {black}, für beide.",
        "guess": "Ein Ratespiel 50:50: {black} für Schwarz, {white} für Weiß.",
        "sure": "{square} für {player}; {other} mischt {n} Felder.",
        "spread": "Schwarz mischt {black} Felder, Weiß {white}, ohne die selten gespielten.",
        "ahead": "{player} liegt mit einer Erwartung von {score} % vorn{judged}.",
        "even": "Ausgeglichen: Niemand liegt vorn{judged}.",
        "opening": "Eine ausgeglichene Eröffnung: Niemand liegt vorn{judged}.",
        "judged": ", nach Schätzung",
        "use.rows": " {square} gewinnt für beide, also darf es keiner dem anderen lassen.",
        "use.row": " {player} würde dort gewinnen, also muss auch {other} dorthin.",
        "use.takes": " {square} schlägt für beide.",
        "use.take": " {square} schlägt für {player}, wenn es nicht beide nennen.",
        "ends": "Die Aussicht auf einen Sieg in diesem Zug: {parts}.",
        "ends.part": "{score} % für {player}",
        "proved.win": "Bewiesen: {player} gewinnt.",
        "proved.even": "Bewiesen: Es steht gleich.",
        "proved.exact": "Bewiesen: Schwarz erreicht {score} %, wobei ein Remis halb zählt.",
        "proved.bounds": "Bewiesen: {parts}, wobei ein Remis halb zählt.",
        "proved.part": "{player} kann mindestens {score} % erreichen",
        "r25": "Dabei gilt ein Spiel ohne Ende als Remis (R25).",
    },
}


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

    @classmethod
    def of(cls, found: Analysis | Solved, value: float | None) -> Result:
        """Return what is to be told of an analysis or a solution, with a value or without one."""
        return cls(
            position=found.position,
            black=found.black,
            white=found.white,
            value=value,
            lower=found.lower,
            upper=found.upper,
            exploitability=found.exploitability,
            needs_r25=found.needs_r25,
        )


def words(found: Result, threats: Threats, lang: str = "en") -> tuple[str, ...]:
    """Explain a result.

    Parameters
    ----------
    found : Result
        What a search or a solver gave.
    threats : Threats
        Those of the same position.
    lang : {"en", "de"}
        In which language.

    Returns
    -------
    tuple of str
        Whole sentences. What is not proved is never called so.
    """
    tell = _Teller(lang)
    sentences = []
    for colour in COLOURS:
        sentences += _completing(tell, colour, threats.side(colour))
    # Mixtures that bounds are still far from say nothing yet.
    if found.value is not None or found.exploitability <= _SETTLED:
        sentences.append(_choice(tell, found, threats))
        sentences.append(_standing(tell, found, threats))
        sentences += _this_turn(tell, found)
    proof = _proof(tell, found)
    if found.needs_r25 and proof:
        proof += [tell("r25")]
    return tuple(s for s in (*sentences, *proof) if s)


class _Teller:
    """The texts of one language; numbers, players and lists of squares as it writes them."""

    def __init__(self, lang: str) -> None:
        self._texts = _TEXTS[lang]
        self._numbers = self._texts["numbers"].split()
        self._point = "," if lang == "de" else "."

    def __call__(self, name: str, **values: object) -> str:
        return self._texts[name].format(**values)

    def number(self, n: int) -> str:
        return self._numbers[n] if n < len(self._numbers) else str(n)

    def score(self, score: float, digits: int = 0) -> str:
        return f"{score:.{digits}f}".replace(".", self._point)

    def listed(self, names: Sequence[str], last: str) -> str:
        return listed(names, self(last))

    def squares(self, squares: Sequence[Square], last: str) -> str:
        return self.listed([square_name(s) for s in squares], last)


def _completing(tell: _Teller, colour: Colour, side: Side) -> list[str]:
    """Say which squares complete a row, and how many of them the other player can stop."""
    rows = side.completions
    if not rows:
        return []
    player, other = tell(colour), tell(_other(colour))
    if len(rows) == 1:
        stops = rows[0].stopped_by
        few = len(stops) <= 5
        where = tell("row.on", squares=tell.squares(stops, "or")) if few else tell("row.any", n=len(stops))
        return [tell("row", square=square_name(rows[0].square), player=player, other=other, where=where)]
    # One square may stop several rows, by a capture.
    stopped: dict[Square, int] = {}
    for row in rows:
        for square in row.stopped_by:
            stopped[square] = stopped.get(square, 0) + 1
    most = max(stopped.values())
    best = tell.squares([s for s in sorted(stopped) if stopped[s] == most][:5], "or")
    if most == len(rows):
        can = tell("rows.both" if most == 2 else "rows.all", squares=best)
    else:
        can = tell("rows.some" if most > 1 else "rows.one", n=tell.number(most), squares=best)
    names = tell.squares([row.square for row in rows], "and")
    count = tell.number(len(rows)).capitalize()
    return [tell("rows", N=count, player=player, squares=names, other=other, can=can)]


def _choice(tell: _Teller, found: Result, threats: Threats) -> str:
    """Say what kind of choice it is: a square each, an even guess, or a wider mixture."""
    main = {colour: _main(mix) for colour, mix in zip(COLOURS, (found.black, found.white), strict=True)}
    if len(found.position.legal) == 1:
        return tell("only", square=square_name(found.position.legal[0]))
    gains = "gains"
    if max(found.upper - found.lower, found.exploitability) > _EXACT:
        gains = "gains.estimate" if found.exploitability <= _SETTLED else "gains.much"
    sure = {colour: len(squares) == 1 and part >= _PURE for colour, (squares, part) in main.items()}
    firsts = {colour: square_name(squares[0]) for colour, (squares, _) in main.items()}
    if all(sure.values()):
        if firsts["black"] == firsts["white"]:
            use = _use(tell, main["black"][0][0], threats)
            return tell("pure.same", square=firsts["black"], gains=tell(gains), use=use)
        return tell("pure", **firsts, gains=tell(gains))
    halves = {colour: _halves(mix) for colour, mix in zip(COLOURS, (found.black, found.white), strict=True)}
    if halves["black"] and halves["white"]:
        black, white = (tell.squares(halves[colour], "or") for colour in COLOURS)
        return tell("guess.same" if black == white else "guess", black=black, white=white)
    for colour in COLOURS:
        if sure[colour]:
            other = _other(colour)
            count = tell.number(len(main[other][0]))
            return tell("sure", square=firsts[colour], player=tell(colour), other=tell(other), n=count)
    return tell("spread", **{colour: tell.number(len(main[colour][0])) for colour in COLOURS})


def _standing(tell: _Teller, found: Result, threats: Threats) -> str:
    """Say who is ahead."""
    if found.value is None:
        return ""
    judged = "" if found.upper - found.lower <= _EXACT else tell("judged")
    if abs(found.value) > _EVEN:
        player = tell("black" if found.value > 0 else "white")
        return tell("ahead", player=player, score=tell.score(50 + 50 * abs(found.value)), judged=judged)
    quiet = not any(threats.side(c).completions or threats.side(c).offers for c in COLOURS)
    return tell("opening" if quiet and _turtles(found.position) <= 4 else "even", judged=judged)


def _use(tell: _Teller, square: Square, threats: Threats) -> str:
    """Say what a square that both name is good for."""
    rows = [c for c in COLOURS if any(row.square == square for row in threats.side(c).completions)]
    takes = [c for c in COLOURS if any(offer.square == square for offer in threats.side(c).offers)]
    name = square_name(square)
    if len(rows) == 2:
        return tell("use.rows", square=name)
    if len(rows) == 1:
        return tell("use.row", player=tell(rows[0]), other=tell(_other(rows[0])))
    if len(takes) == 2:
        return tell("use.takes", square=name)
    return tell("use.take", square=name, player=tell(takes[0])) if takes else ""


def _this_turn(tell: _Teller, found: Result) -> list[str]:
    """Say how likely the game ends in this turn."""
    ends = {Outcome.BLACK: 0.0, Outcome.WHITE: 0.0}
    for b in np.flatnonzero(found.black > 1e-4).tolist():
        for w in np.flatnonzero(found.white > 1e-4).tolist():
            outcome = found.position.play(b, w).outcome
            if outcome in ends:
                ends[outcome] += float(found.black[b] * found.white[w])
    said = [
        tell("ends.part", score=tell.score(100 * part), player=tell(colour))
        for colour, part in (("black", ends[Outcome.BLACK]), ("white", ends[Outcome.WHITE]))
        if part >= _LESS
    ]
    return [tell("ends", parts=", ".join(said))] if said else []


def _proof(tell: _Teller, found: Result) -> list[str]:
    """Say what is proved, in scores: 100 % for a win, 50 % for a draw."""
    lower, upper = found.lower, found.upper
    if upper - lower <= _EXACT:
        if lower >= 1 - _EXACT:
            return [tell("proved.win", player=tell("black"))]
        if upper <= -1 + _EXACT:
            return [tell("proved.win", player=tell("white"))]
        if abs(lower) <= _EXACT:
            return [tell("proved.even")]
        return [tell("proved.exact", score=tell.score(50 + 25 * (lower + upper), 1))]
    said = []
    for colour, bound in (("black", lower), ("white", -upper)):
        score = math.floor(500 * (1 + bound) + 1e-3) / 10  # rounded down: it is a bound
        if score > 0:
            said.append(tell("proved.part", player=tell(colour), score=tell.score(score, 1)))
    return [tell("proved.bounds", parts=tell.listed(said, "and"))] if said else []


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
