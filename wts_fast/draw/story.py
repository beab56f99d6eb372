"""What a turn did, step by step, told from the events of ``explain`` alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ..errors import WtsError
from ..squares import NUM_SQUARES, Colour, Square, square_name
from ..state import Capture, Dissolve, EggLaid, Event, Hatch, Placement, Row, State, Turn, Verdict
from .captions import Captions, captions
from .marks import HasState, Marks, state_of
from .svg import Svg, grid, panel
from .text import draw

__all__ = ["Frame", "story", "story_svg", "story_text"]


class Frame(NamedTuple):
    """One step of a turn: what happens, the board at that moment, and what to point out on it."""

    caption: str
    state: State
    marks: Marks


def story(before: State | HasState, turn: Turn[Any], *, lang: str = "en") -> list[Frame]:
    """Return the steps of a turn.

    The boards are worked out from the position before and the events, never from
    ``turn.position``, so the last one shows that the events explain the whole turn.

    Parameters
    ----------
    before : State or position
        The position in which the turn was made.
    turn : Turn
        What ``explain`` returned there.
    lang : {"en", "de"}
        The language of the captions.

    Returns
    -------
    list of Frame
        The landing or the egg; captures, and the board without the victims; each egg that hatches
        or dissolves, with its captures; the verdict with the rows.

    Raises
    ------
    WtsError
        With code ``story`` if the events cannot have happened in that position; with code ``lang`` for another
        language.
    """
    teller = _Teller(state_of(before), captions(lang))
    events = list(turn.events)
    while events:
        teller.tell(events)
    return teller.frames


def story_text(
    before: State | HasState,
    turn: Turn[Any],
    *,
    colour: bool = False,
    ascii: bool = True,
    title: str = "",
    lang: str = "en",
) -> str:
    """Return the steps of a turn as numbered boards of text.

    Parameters
    ----------
    before, turn
        As for `story`.
    colour, ascii : bool
        As for `text.board`.
    title : str
        A line above all.
    lang : {"en", "de"}
        The language of the captions; the legends below the boards stay English.

    Returns
    -------
    str
        Lines without a final line end.
    """
    blocks = [title] if title else []
    for number, frame in enumerate(story(before, turn, lang=lang), 1):
        blocks.append(draw(frame.state, frame.marks, colour=colour, ascii=ascii, title=f"{number}. {frame.caption}"))
    return "\n\n".join(blocks)


def story_svg(
    before: State | HasState,
    turn: Turn[Any],
    *,
    columns: int = 3,
    coordinates: bool = True,
    size: int = 1200,
    title: str = "",
    lang: str = "en",
) -> Svg:
    """Return the steps of a turn as one picture, read row by row.

    Parameters
    ----------
    before, turn
        As for `story`.
    columns : int
        Boards in a row, from 1 to 20.
    coordinates : bool
        Whether letters and digits stand around the boards.
    size : int
        Width of the picture in pixels, from 16 to 10,000; less where there are fewer steps than columns.
    title : str
        The heading; by default the turn itself.
    lang : {"en", "de"}
        The language of the captions.

    Returns
    -------
    Svg
        A ``str`` with ``_repr_svg_`` and ``_repr_html_``.

    Raises
    ------
    WtsError
        As `story`, or if `columns` or `size` is not what it should be.
    """
    if isinstance(columns, bool) or not isinstance(columns, int) or not 1 <= columns <= 20:
        raise WtsError(f"expected 1 to 20 columns, not {columns!r}", code="columns", field="columns")
    frames = story(before, turn, lang=lang)
    panels = [panel(f.state, f.marks, f"{n}. {f.caption}", coordinates) for n, f in enumerate(frames, 1)]
    used = min(columns, len(panels))
    last = frames[0].marks.last or (0, 0)
    title = title or captions(lang).turn(square_name(last[0]), square_name(last[1]))
    return grid(panels, used, coordinates=coordinates, size=max(16, size * used // columns), title=title)


class _Teller:
    """A board to which events happen; it only believes those that can."""

    def __init__(self, state: State, words: Captions) -> None:
        self.words = words
        self.turtles: dict[Colour, set[Square]] = {"black": set(state.black), "white": set(state.white)}
        self.eggs = list(state.eggs)
        self.claims: dict[Colour, int] = {"black": 0, "white": 0}
        self.last: tuple[Square, Square] | None = None
        self.rows: list[Row] = []
        self.frames: list[Frame] = []

    def tell(self, events: list[Event]) -> None:
        """Take the next event, or the next few that are one step, from the front of `events`."""
        event = events.pop(0)
        match event:
            case Placement():
                second = events.pop(0) if events else None
                if not isinstance(second, Placement):
                    raise _wrong("a placement stands alone")
                self._land(event, second)
            case EggLaid():
                self._check_empty(event.square)
                self.eggs.append(event.square)
                self.last = event.square, event.square
                self._show(self.words.collision(square_name(event.square)), changed=event.square)
            case Capture():
                captures = [event]
                while events and isinstance(events[0], Capture):
                    captures.append(events.pop(0))  # type: ignore[arg-type]
                self._capture(captures)
            case Hatch():
                self._take_egg(event.square)
                self._spend(event.colour)
                self.turtles[event.colour].add(event.square)
                text = self.words.hatching(square_name(event.square), event.colour, self.claims[event.colour])
                self._show(text, changed=event.square)
            case Dissolve():
                self._take_egg(event.square)
                self._spend("black")
                self._spend("white")
                self._show(self.words.dissolving(square_name(event.square), self.claims), changed=event.square)
            case Row():
                self.rows.append(event)
            case Verdict():
                self._judge(event)
            case _:
                raise _wrong(f"there is no event {type(event).__name__}")

    def _land(self, first: Placement, second: Placement) -> None:
        for placement in (first, second):
            self._check_empty(placement.square)
            self.turtles[placement.colour].add(placement.square)
        self.last = first.square, second.square
        self._show(self.words.landing(square_name(first.square), square_name(second.square)))

    def _capture(self, captures: list[Capture]) -> None:
        """Show the brackets of one moment, then the board without their victims."""
        victims: dict[Square, None] = {}  # a dict keeps the order of the events
        for capture in captures:
            standing = {*self.turtles["white" if capture.colour == "black" else "black"], *self.eggs}
            own = self.turtles[capture.colour]
            if not {*capture.victims} <= standing or not {capture.arrival, capture.end} <= own:
                raise _wrong(f"nothing on the board is captured from {square_name(capture.arrival)}")
            self.claims[capture.colour] += 1
            victims.update(dict.fromkeys(capture.victims))
        self._show(" ".join(map(self.words.capture, captures)), captured=victims, brackets=captures)
        for turtles in self.turtles.values():
            turtles.difference_update(victims)
        self.eggs = [e for e in self.eggs if e not in victims]
        names = [square_name(s) for s in victims]
        self._show(self.words.leaving(names, self.claims), captured=victims)

    def _judge(self, verdict: Verdict) -> None:
        full = len(self.eggs) + sum(len(t) for t in self.turtles.values()) == NUM_SQUARES
        winning = {s for row in self.rows for s in row.squares}
        self._show(self.words.verdict(verdict, self.rows, self.claims, full), winning=winning)

    def _show(
        self,
        caption: str,
        *,
        captured: Iterable[Square] = (),
        brackets: Iterable[Capture] = (),
        winning: Iterable[Square] = (),
        changed: Square | None = None,
    ) -> None:
        black, white = (tuple(sorted(self.turtles[c])) for c in ("black", "white"))
        marks = Marks(self.last, frozenset(captured), tuple(brackets), frozenset(winning), changed)
        self.frames.append(Frame(caption, State(black, white, tuple(self.eggs)), marks))

    def _check_empty(self, square: Square) -> None:
        if square in self.turtles["black"] | self.turtles["white"] or square in self.eggs:
            raise _wrong(f"{square_name(square)} is occupied")

    def _take_egg(self, square: Square) -> None:
        if self.eggs[:1] != [square]:
            raise _wrong(f"{square_name(square)} is not the oldest egg")
        del self.eggs[0]

    def _spend(self, colour: Colour) -> None:
        if not self.claims[colour]:
            raise _wrong(f"{colour} holds no claim")
        self.claims[colour] -= 1


def _wrong(reason: str) -> WtsError:
    return WtsError(f"these events do not follow from this position: {reason}", code="story", field="turn")
