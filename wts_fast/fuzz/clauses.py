"""Which clauses of the rules a turn exercised, told from the board before it and the events of the turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..squares import DIRECTIONS, NUM_SQUARES
from ..state import Capture, Dissolve, Event, Hatch, Outcome, Row, State, Verdict
from .boards import (
    BETWEEN,
    BLACK_TURTLE,
    EGG,
    EMPTY,
    RAYS,
    WHITE_TURTLE,
    captures_from,
    pieces,
    winning_squares,
)

__all__ = ["CLAUSES", "NOT_OBSERVABLE", "Coverage"]

#: What a run must have met, by clause and case.
CLAUSES: Final[dict[str, str]] = {
    "R1 border": "a piece arrived on the border",
    "R1 squares": "arrivals on the square that had fewest",
    "R2 mixed": "both colours, an egg and an empty square on the board",
    "R3 order": "two or more eggs in another order than that of their squares",
    "R3 middle": "an egg left the queue from between others that stayed",
    "R4 eggs": "legal squares compared with eggs on the board",
    "R4 refused": "an occupied square was refused",
    "R4 finished": "a turn after the end was refused",
    "R5 phases": "placement, capture and hatching in one turn",
    "R6 collision": "both chose the same square",
    "R6 bracket": "a collision where a turtle would have captured",
    "R7 turtles": "captured two turtles",
    "R7 turtle-egg": "captured a turtle and behind it an egg",
    "R7 egg-turtle": "captured an egg and behind it a turtle",
    "R7 eggs": "captured two eggs",
    "R7 directions": "captures in the direction that had fewest",
    "R8 one": "one piece and an own turtle behind: no capture",
    "R8 three": "three or more pieces and an own turtle behind: no capture",
    "R8 open": "two pieces and no own turtle behind: no capture",
    "R9 between": "a turtle placed between two enemy turtles stayed",
    "R10 captured": "a captured turtle completed its capture",
    "R10 mutual": "both placed turtles captured each other",
    "R10 far end": "a far end was captured in the same turn",
    "R11 victim": "a turtle placed in this turn was captured",
    "R12 two": "one placement made two captures or more",
    "R12 three": "one placement made three captures or more",
    "R12 eight": "one placement made eight captures",
    "R13 both": "both players captured",
    "R13 shared": "a piece was captured by both",
    "R14 gone": "an egg was captured while a claim took another",
    "R14 oldest": "the oldest egg was captured and a claim took the next",
    "R15 hatch": "an egg hatched",
    "R15 dissolve": "an egg dissolved",
    "R15 equal": "equally many claims, all eggs dissolved",
    "R15 rest": "k against m claims: eggs dissolved, then hatched",
    "R16 capture": "a hatched turtle captured",
    "R16 next egg": "a hatched turtle captured the egg that was next",
    "R16 claim": "the claim of a hatched turtle hatched an egg",
    "R16 two": "two hatched turtles captured in one turn",
    "R16 three": "three or more hatched turtles captured in one turn",
    "R17 none": "claims lapsed, no egg was there",
    "R17 exhausted": "claims lapsed after eggs were used up",
    "R18 five": "a row of five",
    "R18 longer": "a row of six or seven",
    "R18 eight": "a row of eight or nine",
    "R18 egg": "an egg broke a row",
    "R18 broken": "a row of placed turtles was broken by a capture of the same turn",
    "R18 hatched": "a row that only a hatched turtle completed",
    "R19 union": "a turtle in two rows counted once",
    "R20 black": "Black won",
    "R20 white": "White won",
    "R20 unequal": "both had rows, one had more winning turtles",
    "R21 begins": "equal and not zero: sudden death began",
    "R21 stays": "sudden death went on",
    "R21 decided": "sudden death was decided",
    "R21 memory": "sudden death ended without a row, and play went on",
    "R22 on": "no row, play went on",
    "R23 empty-handed": "full board without rows: a draw",
    "R23 equal": "full board with equal rows: a draw",
    "R23 won": "full board with a winner",
    "R23 collision": "a collision on the last empty square",
    "R24 freed": "more empty squares after the turn than before",
}

#: Clauses that no single turn can show.
NOT_OBSERVABLE: Final[dict[str, str]] = {"R25": "what never-ending play is worth is no matter of single turns"}

_KINDS: Final = {(False, False): "turtles", (False, True): "turtle-egg", (True, False): "egg-turtle"}


class Coverage:
    """Counts how often each case of `CLAUSES` was met.

    Attributes
    ----------
    counts : dict
        How often each case was met, by its name; begins with zeros.
    """

    def __init__(self) -> None:
        self.counts = dict.fromkeys(CLAUSES, 0)
        self._squares = [0] * NUM_SQUARES
        self._directions = {name: 0 for name, _, _ in DIRECTIONS}

    def never(self) -> tuple[str, ...]:
        """Return the cases that were never met."""
        self._settle()
        return tuple(name for name, n in self.counts.items() if n == 0)

    def table(self) -> dict[str, int]:
        """Return how often each case was met."""
        self._settle()
        return dict(self.counts)

    def _settle(self) -> None:
        self.counts["R1 squares"] = min(self._squares)
        self.counts["R7 directions"] = min(self._directions.values())

    def observe(self, before: State, black: int, white: int, events: Sequence[Event], after: State) -> None:
        """Count what one turn exercised.

        Parameters
        ----------
        before, after : State
            The boards before and after the turn.
        black, white : int
            The squares chosen.
        events : sequence of Event
            The events of the turn in their documented order.
        """
        counts = self.counts
        board = pieces(before)
        for square in {black, white}:
            self._squares[square] += 1
            if square % 9 in (0, 8) or square // 9 in (0, 8):
                counts["R1 border"] += 1
        if before.eggs:
            counts["R4 eggs"] += 1
            if before.black and before.white:
                counts["R2 mixed"] += 1
            if list(before.eggs) != sorted(before.eggs):
                counts["R3 order"] += 1
        if black == white:
            self._see_collision(board, black)
        else:
            self._see_arrivals(board, black, white, events)
            self._see_removals(before, black, white, events)
        self._see_verdict(before, black, white, events, after)

    def _see_collision(self, board: list[int], square: int) -> None:
        self.counts["R6 collision"] += 1
        if captures_from(board, square, BLACK_TURTLE) or captures_from(board, square, WHITE_TURTLE):
            self.counts["R6 bracket"] += 1

    def _see_arrivals(self, board: list[int], black: int, white: int, events: Sequence[Event]) -> None:
        """Count the brackets that are none (R8, R9), seen on the board that holds both placed turtles."""
        counts = self.counts
        board[black], board[white] = BLACK_TURTLE, WHITE_TURTLE
        for square, own in ((black, BLACK_TURTLE), (white, WHITE_TURTLE)):
            for ray in RAYS[square]:
                if not ray or board[ray[0]] in (EMPTY, own):
                    continue
                run, end = 0, EMPTY
                for s in ray:
                    if board[s] in (EMPTY, own):
                        end = board[s]
                        break
                    run += 1
                if end == own:
                    if run != 2:
                        counts["R8 one" if run == 1 else "R8 three"] += 1
                elif run == 2:
                    counts["R8 open"] += 1
            enemy = BLACK_TURTLE + WHITE_TURTLE - own
            for behind, other, far in BETWEEN[square]:
                if board[behind] == enemy == board[far] and board[other] in (own, EGG):
                    captures = (e for e in events if isinstance(e, Capture))
                    counts["R9 between"] += all(square not in e.victims for e in captures)
                    break

    def _see_removals(self, before: State, black: int, white: int, events: Sequence[Event]) -> None:
        """Count captures and hatching (R5, R7, R10 to R17)."""
        placed: list[Capture] = []
        hatched: list[tuple[Hatch, list[Capture]]] = []
        dissolved: list[int] = []
        for event in events:
            if isinstance(event, Capture):
                (hatched[-1][1] if hatched else placed).append(event)
            elif isinstance(event, Hatch):
                hatched.append((event, []))
            elif isinstance(event, Dissolve):
                dissolved.append(event.square)
        if not placed:
            return
        counts = self.counts
        eggs = set(before.eggs)
        for captures in (placed, *(c for _, c in hatched)):
            for capture in captures:
                self._directions[capture.direction] += 1
                near, far = (v in eggs for v in capture.victims)
                counts["R7 " + _KINDS.get((near, far), "eggs")] += 1
        if hatched:
            counts["R5 phases"] += 1
        self._see_placed_captures(placed, black, white)
        self._see_claims(before, placed, hatched, dissolved)

    def _see_placed_captures(self, placed: list[Capture], black: int, white: int) -> None:
        counts = self.counts
        of_black = [c for c in placed if c.colour == "black"]
        of_white = [c for c in placed if c.colour == "white"]
        black_victims = {v for c in of_black for v in c.victims}
        white_victims = {v for c in of_white for v in c.victims}
        taken = black_victims | white_victims
        for most in (len(of_black), len(of_white)):
            counts["R12 two"] += most >= 2
            counts["R12 three"] += most >= 3
            counts["R12 eight"] += most == 8
        black_taken, white_taken = black in white_victims, white in black_victims
        counts["R11 victim"] += black_taken + white_taken
        counts["R10 captured"] += bool((black_taken and of_black) or (white_taken and of_white))
        counts["R10 mutual"] += black_taken and white_taken
        counts["R10 far end"] += any(c.end in taken for c in placed)
        counts["R13 both"] += bool(of_black and of_white)
        counts["R13 shared"] += not black_victims.isdisjoint(white_victims)

    def _see_claims(
        self,
        before: State,
        placed: list[Capture],
        hatched: list[tuple[Hatch, list[Capture]]],
        dissolved: list[int],
    ) -> None:
        counts = self.counts
        claims = {"black": 0, "white": 0}
        for capture in placed:
            claims[capture.colour] += 1
        taken = {v for c in placed for v in c.victims}
        served = len(dissolved) + len(hatched)
        captured = [s for s in before.eggs if s in taken]
        if captured and served:
            counts["R14 gone"] += 1
            counts["R14 oldest"] += captured[0] == before.eggs[0]
        counts["R15 hatch"] += bool(hatched)
        counts["R15 dissolve"] += bool(dissolved)
        counts["R15 equal"] += bool(dissolved) and claims["black"] == claims["white"]
        counts["R15 rest"] += bool(dissolved) and bool(hatched)
        queue = [s for s in before.eggs if s not in taken]
        own_claims = abs(claims["black"] - claims["white"])
        for s in dissolved:
            queue.remove(s)
        capturing = 0
        for i, (hatch, captures) in enumerate(hatched):
            queue.remove(hatch.square)
            counts["R16 claim"] += i == own_claims
            capturing += bool(captures)
            gone = {v for c in captures for v in c.victims}
            counts["R16 next egg"] += bool(queue) and queue[0] in gone
            queue = [s for s in queue if s not in gone]
        counts["R16 capture"] += capturing > 0
        counts["R16 two"] += capturing >= 2
        counts["R16 three"] += capturing >= 3
        total = len(placed) - 2 * len(dissolved) + sum(len(c) for _, c in hatched)
        if total > len(hatched):
            counts["R17 exhausted" if served else "R17 none"] += 1
        left = {s for captures in (placed, *(c for _, c in hatched)) for c in captures for v in c.victims for s in (v,)}
        left.update(dissolved, (h.square for h, _ in hatched))
        stayed = [i for i, s in enumerate(before.eggs) if s not in left]
        if stayed:
            counts["R3 middle"] += any(stayed[0] < i < stayed[-1] for i, s in enumerate(before.eggs) if s in left)

    def _see_verdict(self, before: State, black: int, white: int, events: Sequence[Event], after: State) -> None:
        counts = self.counts
        verdict = events[-1]
        if not isinstance(verdict, Verdict):
            raise TypeError(f"the last event of a turn is its verdict, not {verdict!r}")
        rows = [e for e in events if isinstance(e, Row)]
        for row in rows:
            n = len(row.squares)
            counts["R18 five" if n == 5 else "R18 longer" if n < 8 else "R18 eight"] += 1
        hatches = {e.square for e in events if isinstance(e, Hatch)}
        for colour, count, was, now, placed in (
            ("black", verdict.black, before.black, after.black, black),
            ("white", verdict.white, before.white, after.white, white),
        ):
            counts["R19 union"] += sum(len(r.squares) for r in rows if r.colour == colour) > count
            if hatches and count and not winning_squares(s for s in now if s not in hatches):
                counts["R18 hatched"] += 1
            if after.eggs and not count and winning_squares(now + after.eggs):
                counts["R18 egg"] += 1
            if black != white:
                stood = winning_squares((*was, placed))
                counts["R18 broken"] += bool(stood) and not stood.issubset(now)
        self._see_end(verdict, bool(winning_squares(before.black)), after, black == white)
        if len(after.black) + len(after.white) + len(after.eggs) < len(before.black) + len(before.white) + len(
            before.eggs
        ):
            counts["R24 freed"] += 1

    def _see_end(self, verdict: Verdict, was_sudden: bool, after: State, collision: bool) -> None:
        counts = self.counts
        full = len(after.black) + len(after.white) + len(after.eggs) == NUM_SQUARES
        equal = verdict.black == verdict.white
        if verdict.outcome in (Outcome.BLACK, Outcome.WHITE):
            counts["R20 black" if verdict.outcome is Outcome.BLACK else "R20 white"] += 1
            counts["R20 unequal"] += bool(verdict.black and verdict.white)
            counts["R21 decided"] += was_sudden
            counts["R23 won"] += full
        elif verdict.outcome is Outcome.DRAW:
            counts["R23 equal" if verdict.black else "R23 empty-handed"] += 1
        elif equal and verdict.black:
            counts["R21 stays" if was_sudden else "R21 begins"] += 1
        else:
            counts["R22 on"] += 1
            counts["R21 memory"] += was_sudden
        if full and collision:
            counts["R23 collision"] += 1
