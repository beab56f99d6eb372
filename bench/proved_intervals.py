"""Measures how much is proved just before games of the engine against itself end with a winner.

    python bench/proved_intervals.py --games 40 --seconds 1 --seed 1

Games are played by the tree, both sides drawing from their mixtures. Of each game with a winner the position before
the last turn, and with --turns those before earlier ones, are given to `analyze` and to `solve`, a time each. Printed
are the widths of the proved intervals: 2 says nothing, 0 everything. The games are the same for the same seed; what is
proved of them in a time depends on the machine.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

import wts_fast as wts
from wts_fast.tree import Tree


def game(seed: int, nodes: int) -> list[wts.Position]:
    """Play a game from the start; return its positions, the last of them ended."""
    rng = np.random.default_rng(seed)
    line = [wts.Position()]
    tree = Tree(line[0], memory_mb=64)
    while True:
        tree.grow(max(0, nodes - tree.nodes))
        found = tree.result(tree.nodes, 0.0, 0.0, None)
        legal = line[-1].legal
        black, white = (legal[int(rng.choice(len(legal), p=mix / mix.sum()))] for mix in (found.black, found.white))
        line.append(line[-1].play(black, white))
        if line[-1].outcome is not None:
            return line
        tree.advance(black, white)


def decided_games(count: int, nodes: int, seed: int) -> Iterator[list[wts.Position]]:
    """Play until so many games have had a winner; yield those."""
    while count:
        line = game(seed, nodes)
        seed += 1
        if line[-1].outcome is not None and line[-1].outcome.value:
            count -= 1
            yield line


def widths(position: wts.Position, seconds: float) -> dict[str, float]:
    """Return the widths of the intervals that are proved in that time, by `analyze` and by `solve`."""
    found = wts.analyze(position, method="tree", seconds=seconds, threads=1)
    proved = wts.solve(position, seconds=seconds)
    return {"analyze": found.upper - found.lower, "solve": proved.upper - proved.lower}


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description="how much is proved before games end", allow_abbrev=False)
    parser.add_argument("--games", type=int, default=40, help="with a winner (%(default)s)")
    parser.add_argument("--nodes", type=int, default=300, help="of the tree, for a turn of these games (%(default)s)")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each position (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the first game (%(default)s)")
    parser.add_argument("--turns", type=int, default=1, help="of each game, from the last one (%(default)s)")
    parser.add_argument("--json", metavar="FILE", help="also write positions and widths")
    args = parser.parse_args()
    if min(args.games, args.nodes, args.turns) < 1 or args.seed < 0:
        parser.error("--games, --nodes and --turns are at least 1, --seed at least 0")
    wts.analyze(wts.Position(), method="tree", nodes=2)
    wts.solve(wts.Position(), nodes=1)  # both compiled before the clock runs
    rows: list[dict[str, Any]] = []
    for line in decided_games(args.games, args.nodes, args.seed):
        for back in range(1, min(args.turns, len(line) - 1) + 1):
            position = line[-1 - back]
            rows.append({"back": back, "position": str(position)} | widths(position, args.seconds))
    print(
        f"{args.games} games with a winner from seed {args.seed} on, {args.nodes} nodes a turn; "
        f"{args.seconds:g} s for each position"
    )
    print("turns before the end   by        below 1 of 2   median   mean   exact")
    for back in range(1, args.turns + 1):
        for by in ("analyze", "solve"):
            got = np.array([row[by] for row in rows if row["back"] == back])
            print(
                f"{back:>21}   {by:<9} {(got < 1).mean():>11.0%} {np.median(got):>8.3f} {got.mean():>6.3f} "
                f"{(got <= 2e-6).mean():>7.0%}"
            )
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=0)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
