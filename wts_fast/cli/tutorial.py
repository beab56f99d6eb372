"""The exercises of `wts_fast.tutorial` in the terminal, for ``play --tutorial``."""

from __future__ import annotations

import io
import sys
import textwrap
from typing import Any, TextIO, cast

from ..draw.captions import listed
from ..draw.marks import Marks
from ..draw.story import story
from ..draw.text import draw
from ..errors import IllegalMove
from ..squares import parse_square, square_name
from ..tutorial import EXERCISES, Exercise, Verdict, check
from .common import standard_input

__all__ = ["run_tutorial"]

_TEXTS: dict[str, dict[str, str]] = {
    "en": {
        "welcome": "The rules of What the Shell in {n} small exercises. You are Black (B); White (W) names its "
        "square in the same turn, and you see it afterwards. Eggs are e1, e2 and so on, the oldest first.",
        "ask": "your square (or hint, solution, skip, back, quit): ",
        "hint": "Hint: {text}",
        "solution": "It is done by {squares}.",
        "or": "or",
        "first": "This is the first exercise.",
        "what": "{text!r} is no square from A1 to I9, and none of the words.",
        "occupied": "{square} is not empty.",
        "eggs": "Eggs, oldest first: {squares}",
        "end": "{solved} of {n} exercises solved.",
        "play": "Play a game with: wts-fast play",
    },
    "de": {
        "welcome": "Die Regeln von What the Shell in {n} kleinen Übungen. Du bist Schwarz (B); Weiß (W) nennt sein "
        "Feld im selben Zug, und du siehst es erst danach. Eier heißen e1, e2 und so weiter, das älteste zuerst.",
        "ask": "dein Feld (oder hilfe, lösung, weiter, zurück, ende): ",
        "hint": "Hilfe: {text}",
        "solution": "Es geht mit {squares}.",
        "or": "oder",
        "first": "Das ist die erste Übung.",
        "what": "{text!r} ist kein Feld von A1 bis I9 und keines der Wörter.",
        "occupied": "{square} ist nicht leer.",
        "eggs": "Eier, das älteste zuerst: {squares}",
        "end": "{solved} von {n} Übungen gelöst.",
        "play": "Eine Partie spielst du mit: wts-fast play --lang de",
    },
}

_WIDTH = 80
_LONGEST = 200  # longer than any answer

#: What may be typed besides squares. Words of both languages are understood in both.
_WORDS = {
    "hint": ("hint", "h", "?", "hilfe", "tipp"),
    "solution": ("solution", "lösung", "loesung"),
    "skip": ("skip", "s", "next", "n", "weiter", "w"),
    "back": ("back", "b", "zurück", "zurueck"),
    "quit": ("quit", "q", "exit", "ende"),
}
_MEANT = {word: meaning for meaning, words in _WORDS.items() for word in words}
#: German for terminals that have no umlauts.
_PLAIN = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss", "–": "-"})


def run_tutorial(lang: str, *, colour: bool, ascii: bool, source: TextIO | None = None) -> int:
    """Let somebody solve the exercises, one after another, by typing squares.

    Parameters
    ----------
    lang : {"en", "de"}
        The language.
    colour, ascii : bool
        How boards are drawn, as for `draw.text.board`.
    source : text stream, optional
        Where lines are read from; standard input by default. Its end ends the tutorial.

    Returns
    -------
    int
        The exit status, 0.
    """
    if source is None:
        standard_input()  # says so where there is none
        source = sys.stdin
        # What is no text is no square either; it shall not end the run.
        cast(io.TextIOWrapper, source).reconfigure(errors="replace")
    return _Session(lang, colour, ascii, source).run()


class _Session:
    def __init__(self, lang: str, colour: bool, ascii: bool, source: TextIO) -> None:
        self.lang, self.colour, self.ascii, self.source = lang, colour, ascii, source
        self.solved: set[str] = set()

    def run(self) -> int:
        self.say("welcome", n=len(EXERCISES))
        number = 0
        while 0 <= number < len(EXERCISES):
            step = self.solve(number)
            if step is None:
                break
            number += step
        print()
        self.say("end", solved=len(self.solved), n=len(EXERCISES))
        if len(self.solved) == len(EXERCISES):
            self.say("play")
        return 0

    def solve(self, number: int) -> int | None:
        """Show an exercise until it is left; return how far to go on from it, or None to end."""
        exercise = EXERCISES[number]
        self.show(number)
        while True:
            typed = self.ask()
            if typed is None:
                return None
            meant = _MEANT.get(typed.lower())
            if meant == "quit":
                return None
            if meant == "skip":
                return 1
            if meant == "back":
                if number > 0:
                    return -1
                self.say("first")
            elif meant == "hint":
                self.say("hint", text=exercise.hint[self.lang])
            elif meant == "solution":
                names = [square_name(s) for s in exercise.accepted]
                self.say("solution", squares=self.listed(names))
            elif typed and self.answer(exercise, typed):
                return 1

    def answer(self, exercise: Exercise, typed: str) -> bool:
        """Play what was typed, show the turn, and return whether it solves the exercise."""
        try:
            parse_square(typed)
        except IllegalMove:
            self.say("what", text=typed[:20])
            return False
        try:
            verdict = check(exercise.id, typed)
        except IllegalMove:
            self.say("occupied", square=typed.upper())
            return False
        self.tell(verdict)
        if verdict.ok:
            self.solved.add(exercise.id)
        else:
            self.board(verdict.position, Marks())
        return verdict.ok

    def show(self, number: int) -> None:
        exercise = EXERCISES[number]
        from .._kernel import Position

        print()
        self.print(f"{number + 1}/{len(EXERCISES)}  {exercise.title[self.lang]}  [{', '.join(exercise.clauses)}]")
        print()
        self.board(Position(exercise.position), Marks())
        self.print(exercise.task[self.lang])

    def tell(self, verdict: Verdict) -> None:
        """Show what happened: each step in words, and the last board."""
        frames = story(verdict.position, verdict.turn, lang=self.lang)
        print()
        for step, frame in enumerate(frames, 1):
            self.print(f"{step}. {frame.caption}")
        print()
        marks = Marks(last=(verdict.black, verdict.white), winning=frames[-1].marks.winning)
        self.board(verdict.turn.position, marks)
        self.print(f"{'=>' if verdict.ok else '--'} {verdict.message[self.lang]}")
        if not verdict.ok:
            print()

    def board(self, position: Any, marks: Marks) -> None:
        print(draw(position, marks, colour=self.colour, ascii=self.ascii, legend=False))
        if position.state.eggs:
            self.say("eggs", squares=", ".join(square_name(s) for s in position.state.eggs))

    def ask(self) -> str | None:
        """Return a line without blanks around it, None at the end of the input."""
        self.print(_TEXTS[self.lang]["ask"], end="")
        sys.stdout.flush()
        line = rest = self.source.readline(_LONGEST)
        while len(rest) == _LONGEST and not rest.endswith("\n"):
            rest = self.source.readline(_LONGEST)  # what belongs to the same line is no answer of its own
        if not rest.endswith("\n"):
            print()
        return line.strip() if line else None

    def say(self, key: str, **values: object) -> None:
        self.print(_TEXTS[self.lang][key].format(**values))

    def print(self, text: str, end: str = "\n") -> None:
        text = text.translate(_PLAIN) if self.ascii else text
        print(text if len(text) <= _WIDTH else textwrap.fill(text, _WIDTH), end=end)

    def listed(self, names: list[str]) -> str:
        return listed(names, _TEXTS[self.lang]["or"])
