"""The sentences in which `story` tells a turn, in each language."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from ..errors import WtsError
from ..squares import DIRECTIONS, Colour, square_name
from ..state import Capture, Outcome, Row, Verdict

__all__ = ["LANGUAGES", "Captions", "captions", "listed"]

Claims = Mapping[Colour, int]

_COMPASS = {
    "en": ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"],
    "de": ["Norden", "Nordosten", "Osten", "Südosten", "Süden", "Südwesten", "Westen", "Nordwesten"],
}
_GERMAN = {"black": "Schwarz", "white": "Weiß"}


class Captions(Protocol):
    """One language's sentences; squares come by name, claims as how many each player holds."""

    def landing(self, black: str, white: str) -> str:
        """Say where the turtles landed."""

    def collision(self, square: str) -> str:
        """Say that an egg was laid."""

    def capture(self, capture: Capture) -> str:
        """Say who captures what."""

    def leaving(self, victims: Sequence[str], claims: Claims) -> str:
        """Say what leaves the board, and who may hatch."""

    def hatching(self, square: str, colour: Colour, left: int) -> str:
        """Say that an egg hatched."""

    def dissolving(self, square: str, claims: Claims) -> str:
        """Say that an egg dissolved."""

    def verdict(self, verdict: Verdict, rows: Sequence[Row], claims: Claims, full: bool) -> str:
        """Say what lapses, which rows there are, and who has won."""

    def turn(self, black: str, white: str) -> str:
        """Return the heading over the pictures of a turn."""


class English:
    """Told in English."""

    def turn(self, black: str, white: str) -> str:
        return f"The turn {black} {white}"

    def landing(self, black: str, white: str) -> str:
        return f"Black lands on {black}, White on {white}."

    def collision(self, square: str) -> str:
        return f"Both players chose {square}: an egg is laid there."

    def capture(self, capture: Capture) -> str:
        near, far = map(square_name, capture.victims)
        return (
            f"{capture.colour.capitalize()}'s {square_name(capture.arrival)} captures {near} and {far} "
            f"to the {_compass('en', capture)}, with {square_name(capture.end)}."
        )

    def leaving(self, victims: Sequence[str], claims: Claims) -> str:
        return f"{listed(victims, 'and')} leave the board. {self._held(claims)}"

    def hatching(self, square: str, colour: Colour, left: int) -> str:
        return f"The oldest egg, {square}, hatches into a {colour} turtle, with {self._counted(left)} left."

    def dissolving(self, square: str, claims: Claims) -> str:
        return f"Both players hold claims: the oldest egg, {square}, dissolves. {self._held(claims)}"

    def verdict(self, verdict: Verdict, rows: Sequence[Row], claims: Claims, full: bool) -> str:
        text = ""
        lapsed = [f"{self._counted(n)} of {colour.capitalize()}'s" for colour, n in claims.items() if n]
        if lapsed:
            one = sum(claims.values()) == 1
            text = f"{listed(lapsed, 'and')} {'finds' if one else 'find'} no egg and {'lapses' if one else 'lapse'}. "
        for colour, lines in _by_colour(rows).items():
            ends = [f"{a} to {b}" for a, b in lines]
            text += f"{colour.capitalize()} has {'a row' if len(lines) == 1 else 'rows'}: {listed(ends, 'and')}. "
        counts = f"{verdict.black} to {verdict.white} winning turtles"
        if verdict.outcome is Outcome.BLACK:
            return f"{text}Black wins, {counts}."
        if verdict.outcome is Outcome.WHITE:
            return f"{text}White wins, {verdict.white} to {verdict.black} winning turtles."
        if verdict.outcome is Outcome.DRAW:
            return text + (
                f"The board is full{f' with {counts}' if verdict.black else ''}: a draw." if full else "A draw."
            )
        return text + (f"{counts}: sudden death, play goes on." if verdict.black else "No row: play goes on.")

    def _held(self, claims: Claims) -> str:
        held = [f"{c.capitalize()} {self._counted(n)}" for c, n in claims.items() if n]
        return f"Now {' and '.join(held).replace(' ', ' holds ', 1)}." if held else "No claim is left."

    def _counted(self, number: int) -> str:
        return f"{number or 'no'} claim{'' if number == 1 else 's'}"


class German:
    """Told in German, in the words of the game's own German pages."""

    def turn(self, black: str, white: str) -> str:
        return f"Der Zug {black} {white}"

    def landing(self, black: str, white: str) -> str:
        return f"Schwarz landet auf {black}, Weiß auf {white}."

    def collision(self, square: str) -> str:
        return f"Beide haben {square} gewählt: Dort liegt nun ein Ei."

    def capture(self, capture: Capture) -> str:
        near, far = map(square_name, capture.victims)
        return (
            f"{_GERMAN[capture.colour]} schlägt von {square_name(capture.arrival)} aus {near} und {far} "
            f"im {_compass('de', capture)}, zusammen mit {square_name(capture.end)}."
        )

    def leaving(self, victims: Sequence[str], claims: Claims) -> str:
        return f"{listed(victims, 'und')} kommen vom Brett. {self._held(claims)}"

    def hatching(self, square: str, colour: Colour, left: int) -> str:
        kind = "schwarze" if colour == "black" else "weiße"
        rest = {0: "Kein Schlag ist", 1: "Ein Schlag ist"}.get(left, f"{left} Schläge sind")
        return f"Aus dem ältesten Ei, auf {square}, schlüpft eine {kind} Schildkröte. {rest} noch offen."

    def dissolving(self, square: str, claims: Claims) -> str:
        return f"Beide haben geschlagen: Das älteste Ei, auf {square}, löst sich auf. {self._held(claims)}"

    def verdict(self, verdict: Verdict, rows: Sequence[Row], claims: Claims, full: bool) -> str:
        text = ""
        lapsed = [f"{self._counted(n)} von {_GERMAN[colour]}" for colour, n in claims.items() if n]
        if lapsed:
            one = sum(claims.values()) == 1
            finds, lapses = ("findet", "verfällt") if one else ("finden", "verfallen")
            said = f"{listed(lapsed, 'und')} {finds} kein Ei und {lapses}. "
            text = said[0].upper() + said[1:]
        for colour, lines in _by_colour(rows).items():
            ends = [f"{a} bis {b}" for a, b in lines]
            kind = "eine Reihe" if len(lines) == 1 else "Reihen"
            text += f"{_GERMAN[colour]} hat {kind}: {listed(ends, 'und')}. "
        counts = f"{verdict.black} zu {verdict.white} Siegschildkröten"
        if verdict.outcome is Outcome.BLACK:
            return f"{text}Schwarz gewinnt mit {counts}."
        if verdict.outcome is Outcome.WHITE:
            return f"{text}Weiß gewinnt mit {verdict.white} zu {verdict.black} Siegschildkröten."
        if verdict.outcome is Outcome.DRAW:
            stand = f" bei {counts}" if verdict.black else ""
            return text + (f"Das Brett ist voll{stand}: Remis." if full else "Remis.")
        return text + (f"{counts}: Sudden Death, es geht weiter." if verdict.black else "Keine Reihe: Es geht weiter.")

    def _held(self, claims: Claims) -> str:
        held = [f"{_GERMAN[c]} {self._counted(n)}" for c, n in claims.items() if n]
        if not held:
            return "Kein Schlag ist mehr offen."
        one = sum(claims.values()) == 1
        return f"Noch offen {'ist' if one else 'sind'}: {listed(held, 'und')}."

    def _counted(self, number: int) -> str:
        return "ein Schlag" if number == 1 else f"{number} Schläge"


_ALL: dict[str, Captions] = {"en": English(), "de": German()}
#: The languages that a turn is told in.
LANGUAGES = tuple(_ALL)


def captions(lang: str) -> Captions:
    """Return the sentences of a language.

    Raises
    ------
    WtsError
        With code ``lang`` if there are none.
    """
    if lang not in _ALL:
        raise WtsError(f"expected {' or '.join(LANGUAGES)}, not {lang!r:.20}", code="lang", field="lang")
    return _ALL[lang]


def _compass(lang: str, capture: Capture) -> str:
    """Return the point of the compass that a capture looks to."""
    names = [name for name, _, _ in DIRECTIONS]
    return _COMPASS[lang][names.index(capture.direction)]


def _by_colour(rows: Sequence[Row]) -> dict[Colour, list[tuple[str, str]]]:
    """Return the ends of each colour's rows."""
    found: dict[Colour, list[tuple[str, str]]] = {}
    for row in rows:
        found.setdefault(row.colour, []).append((square_name(row.squares[0]), square_name(row.squares[-1])))
    return found


def listed(names: Sequence[str], last: str) -> str:
    """Return names in a sentence: with commas, and the word `last` before the last one."""
    return f" {last} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
