"""Run a C program that plays random games in turns with ours, and print the ratio pair by pair.

The program takes a number of games and prints `... X Mturns/s ...`. It is compiled with the best flags for this
machine; ours is the build that is installed. With --threads both sides are ours: that many threads, and one.
With --against both sides are ours too: the other is the package in that folder, for example one built with WTS_NATIVE.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from wts_fast import _kernel
from wts_fast.measure import machine

OURS = """
import json, sys, time
from wts_fast.engine import playouts
threads, games = int(sys.argv[1]), int(sys.argv[2])
playouts(n=200_000, threads=threads)
start, used = time.perf_counter(), time.process_time()
result = playouts(n=games, threads=threads)
took, used = time.perf_counter() - start, time.process_time() - used
print(json.dumps({"speed": result.turns / took / 1e6, "processors": used / took, "checksum": result.checksum}))
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], allow_abbrev=False)
    other = parser.add_mutually_exclusive_group(required=True)
    other.add_argument("--source", type=Path, metavar="FILE.c", help="the C program")
    other.add_argument("--threads", type=int, metavar="N", help="compare N threads with one")
    other.add_argument("--against", type=Path, metavar="FOLDER", help="compare with the package wts_fast in there")
    parser.add_argument("--cflags", default="-O3 -march=native", help="for the C program (%(default)s)")
    parser.add_argument("--pairs", type=int, default=9, help="at least 7 (%(default)s)")
    parser.add_argument("--games", type=int, default=2_000_000, help="of ours in each run (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    args = parser.parse_args()
    if args.pairs < 7:
        parser.error("fewer than 7 pairs say nothing on a shared machine")
    with tempfile.TemporaryDirectory() as folder:
        us = Ours(args.threads or 1, args.games)
        if args.source:
            them: Ours | Theirs = Theirs(args.source, args.cflags.split(), Path(folder))
            name = f"{args.source.name} ({os.environ.get('CC', 'cc')} {args.cflags})"
        elif args.threads:
            them, name = Ours(1, args.games), "one thread"
        else:
            them = Ours(1, args.games, args.against.resolve())
            name = f"the build in {args.against}"
        us(), them()
        if isinstance(them, Ours) and them.checksum != us.checksum:
            sys.exit(f"the two sides play differently: checksums {us.checksum} and {them.checksum}")
        pairs = [(us(), them()) for _ in range(args.pairs)]
    ratios = [one / other for one, other in pairs]
    best = max(one for one, _ in pairs) / max(other for _, other in pairs)
    report = {
        **machine(),
        "ours": f"{args.threads or 1} thread, path {_kernel.build_info()['isa']}",
        "other": name,
        "pairs": [{"ours": one, "other": other, "ratio": one / other} for one, other in pairs],
        "min": min(ratios),
        "median": statistics.median(ratios),
        "ratio_of_bests": best,
        "our_processors": us.processors[1:],
    }
    if args.json:
        print(json.dumps(report, indent=2))
        return 0
    print(f"{report['processor']}, ours: {report['ours']}, the other: {name}")
    print("pair  ours M turns/s  other M turns/s  ratio  processors at work for us")
    for number, ((one, other), busy) in enumerate(zip(pairs, us.processors[1:], strict=True), 1):
        print(f"{number:4}  {one:14.1f}  {other:15.1f}  {one / other:5.2f}  {busy:.2f}")
    print(f"ratio: min {report['min']:.2f}, median {report['median']:.2f}, of the bests {best:.2f}")
    return 0


class Ours:
    """A process that plays our random games; the package is the installed one or that of a folder."""

    def __init__(self, threads: int, games: int, folder: Path | None = None) -> None:
        self.command = [sys.executable, "-c", OURS, str(threads), str(games)]
        self.folder = folder
        self.env = {**os.environ, **({"PYTHONPATH": str(folder)} if folder else {})}
        self.checksum: int | None = None
        self.processors: list[float] = []  # how many were at work in each run: fewer than threads on a busy machine

    def __call__(self) -> float:
        done = subprocess.run(
            self.command, cwd=self.folder, env=self.env, check=True, capture_output=True, text=True, timeout=300
        )
        result = json.loads(done.stdout)
        if self.checksum not in (None, result["checksum"]):
            sys.exit(f"two runs of the same games differ: {self.checksum} and {result['checksum']}")
        self.checksum = result["checksum"]
        self.processors.append(result["processors"])
        return float(result["speed"])


class Theirs:
    """The C program, compiled once."""

    def __init__(self, source: Path, flags: list[str], folder: Path) -> None:
        self.program = folder / "program"
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, *flags, "-w", "-o", self.program, source, "-lm"], check=True, timeout=300)

    def __call__(self) -> float:
        done = subprocess.run([self.program, "600000"], check=True, capture_output=True, text=True, timeout=300)
        speed = re.search(r"([0-9.]+) Mturns/s", done.stdout)
        if speed is None:
            sys.exit(f"the program printed no speed: {done.stdout[:200]!r}")
        return float(speed[1])


if __name__ == "__main__":
    sys.exit(main())
