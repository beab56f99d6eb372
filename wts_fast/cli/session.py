"""A game at the terminal: who chooses when, what is hidden until then, and what is said about it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ..commitment import Commitment, commit, verify
from ..draw.marks import Marks
from ..draw.story import story
from ..draw.text import draw
from ..errors import InvalidSquare, WtsError
from ..levels import LEVELS, Level, choose
from ..squares import COLOURS, Square, parse_square, square_name
from ..state import Capture
from .entry import Entry
from .phrases import COMMANDS, Phrases

if TYPE_CHECKING:
    from ..game import Game

__all__ = ["Leave", "Session", "Table"]

#: How far a hint looks.
_HINT_NODES = 3000

_YES = ("yes", "y", "ja", "j")
_ON, _OFF = ("on", "an"), ("off", "aus")


class Leave(Exception):
    """The player leaves the game."""


class _Again(Exception):
    """The position is another one now: whoever had chosen chooses anew."""


@dataclass(frozen=True, slots=True)
class Table:
    """How a game is set up.

    Attributes
    ----------
    levels : (int or None, int or None)
        Black's and White's level; None for a person.
    seed : int
        Decides what the engine draws.
    save : str or None
        Where the game is written after every turn.
    colour, ascii : bool
        How boards are drawn.
    """

    levels: tuple[int | None, int | None]
    seed: int
    save: str | None = None
    colour: bool = False
    ascii: bool = True


class _Sealed(NamedTuple):
    """The engine's choice, of which only the hash has been shown."""

    level: Level
    made: Commitment


class Session:
    """One sitting at a game.

    Parameters
    ----------
    game : Game
        Played on in place.
    table : Table
        Who plays, and how it is shown.
    say : Phrases
        The language.
    entry : Entry
        Where lines come from.
    """

    def __init__(self, game: Game, table: Table, say: Phrases, entry: Entry) -> None:
        self.game = game
        self.table = table
        self.say = say
        self.entry = entry
        self.hints = False
        self.undone = 0
        self.saved = ""  # the record as it was last written
        self.path = table.save

    def found(self, path: str | None) -> None:
        """Know that the game as it is now stands in a file; ``save`` without a name writes there."""
        if path is not None:
            self.path = self.path or path
            self.saved = str(self.game)

    # ---- the course of the game

    def run(self) -> None:
        """Play until the player leaves: by `Leave`, or at the end of the input."""
        self._welcome()
        self._show()
        while True:
            try:
                if self.over:
                    self._ask(self.say("ask.over"))
                else:
                    self._turn()
            except _Again:
                continue
            except (EOFError, Leave):
                return

    @property
    def over(self) -> bool:
        """Whether the game has ended, on the board or by giving up."""
        return self.game.result != "*"

    def _turn(self) -> None:
        """Play one turn. The engine has chosen before a person is asked; nothing it does later can change that."""
        chosen: dict[int, Square] = {}
        sealed: dict[int, _Sealed] = {}
        for side, level in enumerate(self.table.levels):
            if level is not None:
                sealed[side] = self._seal(side, level)
        people = [side for side, level in enumerate(self.table.levels) if level is None]
        try:
            for side in people:
                hidden = side != people[-1]
                name = "ask.hidden" if hidden else "ask"
                who = self.say(COLOURS[side])
                prompt = self.say(name, turn=len(self.game) + 1, who=who)
                chosen[side] = self._ask(prompt, side, hidden=hidden)
        except (_Again, Leave):
            for engine in sealed.values():
                self._tell("unplayed", square=square_name(engine.made.square), salt=engine.made.salt_hex)
            raise
        for side, engine in sealed.items():
            made = engine.made
            if not verify(made.digest_hex, made.square, made.salt_hex):
                raise WtsError(self.say("seal.broken"), code="seal")
            self._tell("revealed", name=self._name(engine.level), square=square_name(made.square), salt=made.salt_hex)
            chosen[side] = made.square
        self._play(chosen[0], chosen[1])

    def _seal(self, side: int, number: int) -> _Sealed:
        """Let the engine choose, and show the hash."""
        level = LEVELS[number - 1]
        if sys.stdout.isatty():
            # The next line takes its place.
            print(self.say("thinks", name=self._name(level)), end="\r", flush=True)
        # The same position after an undo shall not have the square that has been shown by then.
        seed = (self.table.seed + self.undone) % 2**64
        made = commit(choose(self.game.position, side, number, seed=seed).square)
        self._tell("sealed", name=self._name(level), digest=made.digest_hex)
        return _Sealed(level, made)

    def _play(self, black: Square, white: Square) -> None:
        before = self.game.position
        turn = before.explain(black, white)
        self.game.play(black, white)
        print()
        self._tell("turn", turn=len(self.game), black=square_name(black), white=square_name(white))
        for frame in story(before, turn, lang=self.say.lang):
            print("  " + self.say.spell(frame.caption))
        print()
        self._show()
        if self.over:
            self._congratulate()
        if self.table.save is not None:
            self._save(self.table.save, quiet=True)

    # ---- what a person types

    def _ask(self, prompt: str, side: int | None = None, *, hidden: bool = False) -> Square:
        """Return a legal square; do everything else that is typed, and ask again."""
        while True:
            line = self.entry.line(self.say.spell(prompt), hidden=hidden).strip()
            word, _, rest = line.partition(" ")
            command = COMMANDS.get(word.lower())
            if command is not None:
                self._do(command, word, rest.strip(), side, hidden)
            elif line and side is not None:
                try:
                    square = parse_square(line)
                except InvalidSquare:
                    # A mistyped square of the hidden player stays hidden.
                    self._tell("what", text="***" if hidden else repr(line[:20]))
                    continue
                if square in self.game.position.legal:
                    return square
                self._tell("occupied", square="***" if hidden else square_name(square))
            elif line:
                self._tell("over")

    def _do(self, command: str, word: str, rest: str, side: int | None, hidden: bool) -> None:
        if rest and command not in ("save", "hint"):
            self._tell("more", text=word)
        elif command == "help":
            self._tell("help")
        elif command == "show":
            self._show()
        elif command == "eggs":
            self._eggs()
        elif command == "seal":
            self._tell("seal")
        elif command == "record":
            print(self.game)
        elif command == "hint":
            self._hint(rest, side, hidden)
        elif command == "undo":
            self._undo()
        elif command == "save":
            self._save(rest or self.path)
        elif command == "resign":
            self._resign(side)
        else:
            raise Leave

    def _undo(self) -> None:
        number = len(self.game)
        if self.over and self.game.outcome is None:
            self.game.end("*")  # what is taken back first is the giving up
        elif number:
            self.game.undo()
            self.undone += 1
            self._tell("undone", turn=number)
        else:
            self._tell("undo.none")
            return
        self._show()
        raise _Again

    def _hint(self, rest: str, side: int | None, hidden: bool) -> None:
        if rest.lower() in (*_ON, *_OFF):
            self.hints = rest.lower() in _ON
            self._tell("hint.on" if self.hints else "hint.off")
        elif rest:
            self._tell("more", text=rest[:20])
        elif side is None:
            self._tell("over")
        elif hidden:
            self._tell("hint.hidden")
        elif not self.hints:
            self._tell("hint.off")
        else:
            from ..analysis import analyze

            found = analyze(self.game.position, nodes=_HINT_NODES, seed=0)
            listed = ", ".join(f"{name} {100 * part:.0f} %" for name, part in found.top(COLOURS[side], 4))
            score = 50 + 50 * (found.value if side == 0 else -found.value)
            self._tell("hint", colour=self.say(COLOURS[side]), squares=listed, score=f"{score:.0f}")

    def _resign(self, side: int | None) -> None:
        if side is None:
            self._tell("over")
            return
        if self.entry.line(self.say("resign.sure")).strip().lower() not in _YES:
            return
        self.game.end("0-1" if side == 0 else "1-0")
        self._tell("resigned", who=self.say(COLOURS[side]), result=self.game.result)
        if self.table.save is not None:
            self._save(self.table.save, quiet=True)
        raise _Again

    def _save(self, path: str | None, *, quiet: bool = False) -> None:
        if not path:
            self._tell("save.name")
            return
        try:
            self.game.write(path)
        except (OSError, ValueError) as error:
            reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
            self._tell("save.failed", reason=reason, path=path)
            return
        self.saved, self.path = str(self.game), path
        if not quiet:
            self._tell("saved", path=path)

    # ---- what is shown

    def keep(self) -> None:
        """Say how the game is gone on with; print it where it is in no file."""
        text = str(self.game)
        if not len(self.game) or (text == self.saved and self.over):
            return
        if text == self.saved:
            self._tell("goes.on", path=self.path)
            return
        if not self.over:
            self._tell("kept")
        print()
        print(self.say.spell(text), end="")

    def _welcome(self) -> None:
        levels = self.table.levels
        people = [side for side in (0, 1) if levels[side] is None]
        if len(people) == 2:
            self._tell("welcome.two")
        else:
            side = people[0]
            level = LEVELS[(levels[1 - side] or 1) - 1]
            self._tell(
                "welcome",
                colour=self.say(COLOURS[side]),
                other=self.say(COLOURS[1 - side]),
                name=self._name(level),
                number=level.number,
                about=level.about[self.say.lang],
            )
        if len(self.game):
            self._tell("resumed", turn=len(self.game))
        if not self.over:
            self._tell("how")

    def _show(self) -> None:
        """Draw the board with what the last turn did to it."""
        game, position = self.game, self.game.position
        last, captured = None, frozenset[Square]()
        if len(game):
            last = game.turns[-1]
            events = game.explain(len(game)).events
            captured = frozenset(s for e in events if isinstance(e, Capture) for s in e.victims)
        winning = frozenset(s for colour in COLOURS for s in position.winning(colour))
        marks = Marks(last=last, captured=captured, winning=winning)
        print(draw(position, marks, colour=self.table.colour, ascii=self.table.ascii, legend=False))
        if position.state.eggs:
            self._eggs()
        if position.sudden_death and position.outcome is None:
            black, white = (len(position.winning(colour)) for colour in COLOURS)
            self._tell("sudden", black=black, white=white)
        print(position)
        print()

    def _eggs(self) -> None:
        eggs = self.game.position.state.eggs
        if eggs:
            self._tell("eggs", squares=", ".join(map(square_name, eggs)))
        else:
            self._tell("eggs.none")

    def _congratulate(self) -> None:
        outcome = self.game.outcome
        for side, level in enumerate(self.table.levels):
            won = outcome is not None and outcome.value == (1 if side == 1 else -1)
            if level is not None and won:
                self._tell("won" if level < len(LEVELS) else "won.last", number=level, next=level + 1)

    def _name(self, level: Level) -> str:
        return level.name[self.say.lang]

    def _tell(self, name: str, /, **values: object) -> None:
        print(self.say(name, **values))
        sys.stdout.flush()
