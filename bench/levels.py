"""Play each level against the one before, and put the tables into docs/levels.md between their markers.

    python bench/levels.py                  # play what is missing, then write the table
    python bench/levels.py --only 8         # only level 8 against level 7
    python bench/levels.py --table          # play nothing, write the table from what is saved

What is finished stands in bench/levels.jsonl, a line for every twenty games, so it can be stopped at any moment and
goes on where it was. Levels are limited by nodes: what else the machine does makes no difference. Remove the file after
a change of the levels, of the search or of the evaluation.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path

from ladder import ROOT, Ladder, Pairing, even, replaced, run

import wts_fast
from wts_fast.files import write_text_atomically
from wts_fast.levels import LEVELS

RESULTS = ROOT / "bench" / "levels.jsonl"
PAGE = ROOT / "docs" / "levels.md"

STEPS = tuple(
    Pairing(str(level.number), f"level:{level.number}", f"level:{level.number - 1}" if level.number > 1 else "random")
    for level in LEVELS
)


def table(ladder: Ladder) -> str:
    """Return the levels with what each scored against the one before, in Markdown."""
    rows = ["| level | | against | games | score [95 %] | luck-adjusted [95 %] |", "|---:|---|---|---:|---:|---:|"]
    for level, step in zip(LEVELS, STEPS, strict=True):
        other = f"level {level.number - 1}" if level.number > 1 else "random squares"
        row = f"| {level.number} | {level.name['en']} | {other} | "
        if not ladder.games(step):
            rows.append(row + "0 | | |")
            continue
        number, plain, less = ladder.found(step)
        scores = (f"{100 * e.score:.0f} % [{100 * e.lower:.0f}, {100 * min(1, e.upper):.0f}]" for e in (plain, less))
        rows.append(row + f"{number} | {' | '.join(scores)} |")
    if ladder.latest is not None:
        rows += ["", f"wts_fast {wts_fast.__version__}, {ladder.latest['date']}."]
    return "\n".join(rows)


def about() -> str:
    """Return the levels with their sentences, in Markdown."""
    rows = ["| | name | in German | |", "|---:|---|---|---|"]
    rows += [f"| {level.number} | {level.name['en']} | {level.name['de']} | {level.about['en']} |" for level in LEVELS]
    return "\n".join(rows)


def page(text: str, ladder: Ladder) -> str:
    """Return the page with both tables in it."""
    return replaced(replaced(text, "about", about()), "levels", table(ladder))


def write_page(ladder: Ladder) -> None:
    """Put the tables into the page."""
    write_text_atomically(PAGE, page(PAGE.read_text(encoding="utf-8"), ladder))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], allow_abbrev=False)
    parser.add_argument("--only", metavar="LEVEL", action="append", help="a level's number; can be given again")
    parser.add_argument("--games", type=even, default=200, metavar="N", help="of each step (%(default)s)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="games at once (%(default)s)")
    parser.add_argument("--minutes", type=float, default=math.inf, metavar="N", help="begin no games after so long")
    parser.add_argument("--table", action="store_true", help="play nothing, write the table")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="FILE", help="the file of results")
    args = parser.parse_args()
    known = [step.name for step in STEPS]
    for name in args.only or ():
        if name not in known:
            sys.exit(f"there is no level {name}; there are {', '.join(known)}")
    ladder = Ladder(args.results)
    if not args.table:
        steps = tuple(step for step in STEPS if not args.only or step.name in args.only)
        run(ladder, steps, args.games, args.jobs, time.monotonic() + 60 * args.minutes)
    if args.results == RESULTS:
        write_page(ladder)


if __name__ == "__main__":
    main()
