"""Run a C program that plays random games in turns with ours, and print the ratio pair by pair.

The program takes a number of games and prints `... turns N ... X Mturns/s ...`. It is compiled with the best flags for
this machine; ours is the build that is installed. With --threads both sides are ours: that many threads, and one. With
--against both sides are ours too: the other is the package in that folder, for example one built with WTS_NATIVE.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

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
turns = result.turns / 1e6
print(json.dumps({"speeds": [turns / took, turns / used], "checksum": result.checksum}))
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
    by_clock = [one.by_clock / other.by_clock for one, other in pairs]
    by_processor = [one.by_processor / other.by_processor for one, other in pairs]
    report = {
        **machine(),
        "ours": f"{args.threads or 1} thread(s), path {_kernel.build_info()['isa']}",
        "other": name,
        "pairs": [{"ours": one._asdict(), "other": other._asdict()} for one, other in pairs],
        "by_clock": summary(by_clock),
        "by_processor": summary(by_processor),
    }
    if args.json:
        print(json.dumps(report, indent=2))
        return 0
    print(f"{report['processor']}, ours: {report['ours']}, the other: {name}")
    print("M turns by the clock's second       by processor second       processors at work")
    print("pair    ours   other  ratio             ours   other  ratio     for us")
    for number, (one, other) in enumerate(pairs, 1):
        cells = [f"{one[i]:8.1f}{other[i]:8.1f}{one[i] / other[i]:7.2f}" for i in (0, 1)]
        print(f"{number:4}{cells[0]}         {cells[1]}     {one.by_clock / one.by_processor:.2f}")
    for what, ratios in (("the clock", by_clock), ("processor time", by_processor)):
        print(f"ratio by {what}: min {min(ratios):.2f}, median {statistics.median(ratios):.2f}, max {max(ratios):.2f}")
    return 0


def summary(ratios: list[float]) -> dict[str, float]:
    return {"min": min(ratios), "median": statistics.median(ratios), "max": max(ratios)}


class Speed(NamedTuple):
    """Million turns in a second of the clock, and in a second of processor time, which others on a busy machine
    cannot take away."""

    by_clock: float
    by_processor: float


class Ours:
    """A process that plays our random games; the package is the installed one or that of a folder."""

    def __init__(self, threads: int, games: int, folder: Path | None = None) -> None:
        self.command = [sys.executable, "-c", OURS, str(threads), str(games)]
        self.folder = folder
        self.env = {**os.environ, **({"PYTHONPATH": str(folder)} if folder else {})}
        self.checksum: int | None = None

    def __call__(self) -> Speed:
        done = subprocess.run(
            self.command, cwd=self.folder, env=self.env, check=True, capture_output=True, text=True, timeout=300
        )
        result = json.loads(done.stdout)
        if self.checksum not in (None, result["checksum"]):
            sys.exit(f"two runs of the same games differ: {self.checksum} and {result['checksum']}")
        self.checksum = result["checksum"]
        return Speed(*result["speeds"])


class Theirs:
    """The C program, compiled once."""

    def __init__(self, source: Path, flags: list[str], folder: Path) -> None:
        self.program = folder / "program"
        compiler = os.environ.get("CC", "cc")
        subprocess.run([compiler, *flags, "-w", "-o", self.program, source, "-lm"], check=True, timeout=300)

    def __call__(self) -> Speed:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([self.program, "600000"], check=True, capture_output=True, text=True, timeout=300)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        speed, turns = re.search(r"([0-9.]+) Mturns/s", done.stdout), re.search(r"turns ([0-9]+)", done.stdout)
        if speed is None or turns is None:
            sys.exit(f"the program printed no speed or no turns: {done.stdout[:200]!r}")
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return Speed(float(speed[1]), int(turns[1]) / used / 1e6)


if __name__ == "__main__":
    sys.exit(main())
