"""How near `analyze` comes to the truth, on positions whose truth is known.

The positions are those of tests/data/endgames.json, solved by another implementation, and others of their kind: boards
filled at random but for some squares, with eggs on some, which `solve` solves exactly. Of each are printed the distance
of the value of `analyze` from the exact one, and what the best replies to its strategies win together, by the exact
values behind all turns; that is true exploitability, and the one that `analyze` states is printed beside it.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from wts_fast import analyze, solve
from wts_fast._kernel import Position
from wts_fast.squares import NUM_SQUARES
from wts_fast.state import State

ENDGAMES = Path(__file__).resolve().parents[1] / "tests" / "data" / "endgames.json"
SOLVE_SECONDS = 0.5  # a generated position that takes longer, or has a turn after which it does, is left out
FLOORS, GOALS = (0.02, 0.05), (0.001, 0.005)  # distance of the value, true exploitability


class Case(NamedTuple):
    """A position, its exact value, and the exact values after each joint turn, Black's squares as rows."""

    position: Position
    value: float
    cells: npt.NDArray[np.float64]


def exact_cells(position: Position) -> npt.NDArray[np.float64] | None:
    """Return the exact values after each joint turn; None where one of them is not found."""
    n = len(position.legal)
    cells = np.empty((n, n))
    for i, black in enumerate(position.legal):
        for j, white in enumerate(position.legal):
            after = position.play(black, white)
            if after.outcome is not None:
                cells[i, j] = after.outcome.value
                continue
            found = solve(after, seconds=SOLVE_SECONDS)
            if not found.exact:
                return None
            cells[i, j] = found.value
    return cells


def random_board(rng: random.Random, empties: int) -> Position:
    """Return a board filled at random but for some squares, whose game is not over."""
    while True:
        squares = rng.sample(range(NUM_SQUARES), NUM_SQUARES - empties)
        eggs = tuple(squares[: rng.randrange(4)])
        turtles = squares[len(eggs) :]
        black = rng.sample(turtles, len(turtles) // 2)
        white = set(turtles) - set(black)
        position = Position.from_state(State(tuple(sorted(black)), tuple(sorted(white)), eggs))
        if position.outcome is None:
            return position


def cases(more: int, empties: list[int], seed: int) -> Iterator[tuple[str, Case]]:
    """Go through the positions, each with the name of its kind."""
    for case in json.loads(ENDGAMES.read_text(encoding="utf-8")):
        position = Position(case["position"])
        cells = exact_cells(position)
        if cells is None:
            raise SystemExit(f"not solved: {position}")
        yield "endgames.json", Case(position, case["value"], cells)
    for number in empties:
        rng = random.Random(f"{seed} {number}")
        for _ in range(more):
            while True:
                position = random_board(rng, number)
                found = solve(position, seconds=SOLVE_SECONDS)
                # Values that a player can have for sure ask nothing of a search.
                cells = exact_cells(position) if found.exact and abs(found.value) < 1 else None
                if cells is not None:
                    break
            yield f"{number} empty", Case(position, found.value, cells)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], allow_abbrev=False)
    parser.add_argument("--seconds", type=float, default=0.1, help="for each analysis (%(default)s)")
    parser.add_argument("--method", default="tree", help="how to search (%(default)s)")
    parser.add_argument("--threads", type=int, default=1, help="for each analysis (%(default)s)")
    parser.add_argument("--more", type=int, default=20, help="positions generated for each number (%(default)s)")
    parser.add_argument("--empties", type=int, nargs="*", default=[4, 5], help="numbers of empty squares (4 5)")
    parser.add_argument("--seed", type=int, default=1, help="of what is generated (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    args = parser.parse_args()

    analyze(Position(), method=args.method, nodes=300, threads=args.threads)  # load or compile the code
    rows = []
    for kind, case in cases(args.more, args.empties, args.seed):
        found = analyze(case.position, method=args.method, seconds=args.seconds, threads=args.threads, seed=args.seed)
        legal = list(case.position.legal)
        black, white = found.black[legal], found.white[legal]
        rows.append(
            {
                "kind": kind,
                "position": str(case.position),
                "exact": case.value,
                "value": found.value,
                "distance": abs(found.value - case.value),
                "lower": found.lower,
                "upper": found.upper,
                "exploitability": max(0.0, float((case.cells @ white).max() - (black @ case.cells).min())),
                "stated": found.exploitability,
                "proved": found.proved_exploitability,
                "seconds": found.seconds,
                "nodes": found.nodes,
            }
        )
    if args.json:
        print(json.dumps(rows, indent=1))
        return 0

    print(f"{args.method}, {args.seconds:g} s a position, {args.threads} thread{'s' * (args.threads > 1)}")
    print("kind            number  distance of the value      true exploitability        stated, worst  outside bounds")
    print("                           mean     95 %    worst     mean     95 %    worst")
    worst = [0.0, 0.0]
    for kind in dict.fromkeys(row["kind"] for row in rows):
        group = [row for row in rows if row["kind"] == kind]
        columns = [[row[name] for row in group] for name in ("distance", "exploitability")]
        worst = [max(w, *column) for w, column in zip(worst, columns, strict=True)]
        figures = " ".join(f"{f(c):8.5f}" for c in columns for f in (statistics.fmean, most_of, max))
        outside = sum(not row["lower"] - 1e-9 <= row["exact"] <= row["upper"] + 1e-9 for row in group)
        print(f"{kind:15} {len(group):6} {figures} {max(row['stated'] for row in group):14.5f} {outside:15}")
    for name, most, floor, goal in zip(("distance", "exploitability"), worst, FLOORS, GOALS, strict=True):
        print(f"{name}: worst {most:.6f}; floor {floor}, goal {goal}: {verdict(most, floor, goal)}")
    return int(any(most > floor for most, floor in zip(worst, FLOORS, strict=True)))


def most_of(column: list[float]) -> float:
    """Return what at most one in twenty is above."""
    return sorted(column)[max(0, -(-len(column) * 19 // 20) - 1)]


def verdict(most: float, floor: float, goal: float) -> str:
    return "goal reached" if most <= goal else "floor reached" if most <= floor else "missed"


if __name__ == "__main__":
    sys.exit(main())
