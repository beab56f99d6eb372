"""Differential fuzzing: kernel against oracle in lock step, with a report of what was exercised.

Each game of a run has a seed of its own, made from the run's seed and the number of the game, so
that any game can be played again alone and the same run is the same everywhere.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..errors import LimitError
from ..squares import NUM_SQUARES, SYMMETRIES
from ..state import State
from .boards import pieces, splitmix64
from .check import Difference, Engine, check_engine, compare_positions, compare_refusals, compare_turn
from .clauses import CLAUSES, NOT_OBSERVABLE, Coverage
from .generate import choose_turn, game_seed, make_plan
from .replay import Replay, run_replay, save_replay, shrink

__all__ = ["LONG_SECONDS", "LONG_TURNS", "Failure", "Report", "fuzz", "replay_command"]

#: A run so long must have met every case of `clauses.CLAUSES`.
LONG_SECONDS = 20.0
LONG_TURNS = 60_000

#: One turn in so many is also checked under all symmetries and rebuilt; one in so many tries a refused turn.
CHECK_EVERY = 64
REFUSE_EVERY = 32

#: A run ends after so many games with a difference: more of them seldom tell more.
MAX_FAILURES = 5


@dataclass(frozen=True, slots=True)
class Failure:
    """A game in which the engines differed.

    Attributes
    ----------
    game : int
        Its number in the run.
    seed : int
        Its own seed.
    kind : str
        The generator that made it.
    difference : Difference
        What the shrunk replay shows.
    replay : Replay
        The shrunk replay.
    path : pathlib.Path or None
        Where it was written; None if it was not.
    not_written : str
        Why it was not written; empty otherwise.
    """

    game: int
    seed: int
    kind: str
    difference: Difference
    replay: Replay
    path: Path | None
    not_written: str = ""


@dataclass
class Report:
    """What a run did and found.

    Attributes
    ----------
    seed, games, turns, seconds
        The run's seed, and how much was played in which time.
    checks : int
        How many turns were also checked under all symmetries and rebuilt.
    kinds : dict
        How many games each generator made.
    clauses : dict
        How often each case of the rules was exercised.
    failures : list of Failure
        Where the engines differed.
    interrupted : bool
        Whether Ctrl-C ended the run.
    """

    seed: int
    games: int = 0
    turns: int = 0
    seconds: float = 0.0
    checks: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    clauses: dict[str, int] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    interrupted: bool = False

    @property
    def never(self) -> tuple[str, ...]:
        """The cases that were never exercised."""
        return tuple(name for name, n in self.clauses.items() if n == 0)

    @property
    def long(self) -> bool:
        """Whether the run was long enough for a case never exercised to be a failure of the fuzzer."""
        return self.turns >= LONG_TURNS or (self.seconds >= LONG_SECONDS and not self.interrupted)

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
        return not self.failures and not (self.long and self.never)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON values."""
        return {
            "seed": self.seed,
            "games": self.games,
            "turns": self.turns,
            "seconds": round(self.seconds, 3),
            "turns_per_second": round(self.turns / self.seconds, 1) if self.seconds else None,
            "symmetry_checks": self.checks,
            "kinds": self.kinds,
            "clauses": self.clauses,
            "not_observable": NOT_OBSERVABLE,
            "never": list(self.never),
            "failures": [
                {
                    "game": f.game,
                    "seed": f"0x{f.seed:016X}",
                    "kind": f.kind,
                    "difference": str(f.difference),
                    "replay": f.replay.as_dict(),
                    "file": None if f.path is None else str(f.path),
                    "not_written": f.not_written,
                }
                for f in self.failures
            ],
            "interrupted": self.interrupted,
            "ok": self.ok,
        }

    def __str__(self) -> str:
        rate = f", {self.turns / self.seconds:,.0f} a second" if self.seconds else ""
        lines = [
            f"seed {self.seed}: {self.games:,} games, {self.turns:,} turns compared in {self.seconds:.1f} s{rate}; "
            f"{self.checks:,} of them under all symmetries" + (" (interrupted)" if self.interrupted else ""),
            "",
        ]
        lines += [f"{name:<18}{n:>9,}  {CLAUSES[name]}" for name, n in self.clauses.items()]
        lines += [f"{name:<18}{'-':>9}  not observable: {why}" for name, why in NOT_OBSERVABLE.items()]
        lines.append("")
        for f in self.failures:
            lines += _tell(f)
        if self.never:
            verdict = "a failure of the fuzzer" if self.long else "the run was short"
            lines.append(f"never exercised ({verdict}): {', '.join(self.never)}")
        if not self.failures:
            lines.append("no difference found")
        return "\n".join(lines)


def replay_command(path: str | os.PathLike[str]) -> str:
    """Return the command that plays a replay file again."""
    return f"wts-fast fuzz --replay {os.fspath(path)}"


def _tell(failure: Failure) -> list[str]:
    data = failure.replay.as_dict()
    lines = [
        f"DIFFERENCE in game {failure.game}, seed 0x{failure.seed:016X} ({failure.kind})",
        f"  {failure.difference}",
        f"  position  {data['position']}",
        f"  turns     {', '.join(data['turns']) or '-'}",
    ]
    if failure.path is not None:
        lines.append(f"  again     {replay_command(failure.path)}")
    elif failure.not_written:
        lines.append(f"  not written: {failure.not_written}")
    return [*lines, ""]


def fuzz(
    *,
    seed: int = 1,
    seconds: float | None = None,
    turns: int | None = None,
    kernel: Engine = None,
    oracle: Engine = None,
    out: str | os.PathLike[str] | None = None,
    progress: Callable[[Report], None] | None = None,
) -> Report:
    """Play the kernel against the oracle until time or turns are used up.

    Parameters
    ----------
    seed : int
        Decides all games; game g has the seed ``splitmix64(seed + g)``.
    seconds : float, optional
        The most wall time.
    turns : int, optional
        The most turns. One limit must be given.
    kernel, oracle : class, optional
        The two classes ``Position``; the package's own by default.
    out : path, optional
        The folder for replay files of failures, made when needed; none are written by default.
    progress : callable, optional
        Called with the report so far, some ten times a second.

    Returns
    -------
    Report
        Also after Ctrl-C, with what was done until then.

    Raises
    ------
    LimitError
        If there is no limit.
    """
    if seconds is None and turns is None:
        raise LimitError("a limit of seconds or turns is needed", code="limit", field="seconds")
    run = _Run(Report(seed), kernel or _kernel(), oracle or _oracle(), out)
    begin = shown = time.perf_counter()
    try:
        while turns is None or run.report.turns < turns:
            now = time.perf_counter()
            run.report.seconds = now - begin
            if seconds is not None and run.report.seconds >= seconds:
                break
            if progress is not None and now - shown >= 0.1:
                shown = now
                progress(run.report)
            run.play_game(None if turns is None else turns - run.report.turns)
            if len(run.report.failures) >= MAX_FAILURES:
                break
    except KeyboardInterrupt:
        run.report.interrupted = True
    run.report.seconds = time.perf_counter() - begin
    run.report.clauses = run.coverage.table()
    return run.report


def _kernel() -> Engine:
    from .._kernel import Position

    return Position


def _oracle() -> Engine:
    from ..oracle import Position

    return Position


class _Run:
    def __init__(self, report: Report, kernel: Engine, oracle: Engine, out: str | os.PathLike[str] | None) -> None:
        self.report = report
        self.kernel = kernel
        self.oracle = oracle
        self.out = out
        self.coverage = Coverage()

    def play_game(self, most: int | None) -> None:
        """Play the next game, at most `most` turns of it."""
        report = self.report
        game, seed = report.games, game_seed(report.seed, report.games)
        plan = make_plan(seed)
        report.games += 1
        report.kinds[plan.kind] = report.kinds.get(plan.kind, 0) + 1
        states: list[State] = []
        played: list[tuple[int, int]] = []
        difference = self._play(plan, seed, most, states, played)
        if difference is not None:
            self._fail(game, seed, plan.kind, difference, states, played)

    def _play(
        self, plan: Any, seed: int, most: int | None, states: list[State], played: list[tuple[int, int]]
    ) -> Difference | None:
        try:
            fast, slow = self.kernel.from_state(plan.state), self.oracle.from_state(plan.state)
        except Exception as error:
            states.append(plan.state)
            return Difference("position", f"raised {type(error).__name__}: {error}")
        states.append(plan.state)
        difference = compare_positions(fast, slow)
        if difference is not None:
            return difference
        state = slow.state
        for number in range(plan.turns if most is None else min(plan.turns, most)):
            legal = fast.legal  # compared already, and the oracle's answer takes longer
            if not legal:
                break
            black, white = choose_turn(plan, legal, pieces(state), number)
            # Which turns are looked at more closely depends on the game alone, so that it can be played again.
            lot = splitmix64(seed + number)
            if lot % REFUSE_EVERY == 0 and len(legal) < NUM_SQUARES:
                taken = [s for s in range(NUM_SQUARES) if s not in legal][(lot >> 8) % (NUM_SQUARES - len(legal))]
                difference = compare_refusals(fast, slow, *((taken, white) if lot >> 32 & 1 else (black, taken)))
                self.coverage.counts["R4 refused"] += 1
                if difference is not None:
                    played.append((taken, white) if lot >> 32 & 1 else (black, taken))
                    return difference
            before, before_state = (fast, slow), state
            fast, slow, events, difference = compare_turn(fast, slow, black, white)
            played.append((black, white))
            self.report.turns += 1
            if difference is None and (lot >> 16) % CHECK_EVERY == 0:
                self.report.checks += 1
                image = (SYMMETRIES[lot >> 40 & 7], bool(lot >> 43 & 1))
                difference = check_engine(before[0], black, white) or check_engine(before[1], black, white, (image,))
            if difference is not None:
                return difference
            state = slow.state
            states.append(state)
            self.coverage.observe(before_state, black, white, events, state)
        if slow.outcome is not None and (seed >> 5) % 4 == 0:
            self.coverage.counts["R4 finished"] += 1
            return compare_refusals(fast, slow, seed % NUM_SQUARES, (seed >> 8) % NUM_SQUARES)
        return None

    def _fail(
        self,
        game: int,
        seed: int,
        kind: str,
        difference: Difference,
        states: list[State],
        played: list[tuple[int, int]],
    ) -> None:
        small = Replay(seed, states[0], tuple(played), str(difference))
        stopped = False
        try:
            # The checks of each engine alone are slow; they are repeated only where nothing else shows the fault.
            deep = run_replay(small, self.kernel, self.oracle, deep=False) is None
            small = shrink(small, states, lambda r: run_replay(r, self.kernel, self.oracle, deep=deep) is not None)
            shown = run_replay(small, self.kernel, self.oracle)
            unseen = Difference(difference.what, f"{difference.text} (not seen again when replayed)")
            difference = shown or unseen
        except KeyboardInterrupt:
            stopped = True  # what was found is kept, as large as it is
        small = replace(small, difference=str(difference))
        path, not_written = None, ""
        if self.out is not None:
            try:
                path = save_replay(small, self.out)
            except OSError as error:
                # The finding itself matters more than its file: it is printed in any case.
                not_written = f"{error.strerror or error}: {error.filename or self.out}"
        self.report.failures.append(Failure(game, seed, kind, difference, small, path, not_written))
        if stopped:
            raise KeyboardInterrupt
