"""Play the ladder, and put its tables into docs/solver.md between their markers.

    python bench/ladder.py --jobs 2                     # play what is missing, then write the tables
    python bench/ladder.py --jobs 2 --only floors       # only one table, or only one pairing by its name
    python bench/ladder.py --table                      # play nothing, write the tables from what is saved

What is finished stands in bench/ladder.jsonl, a line for every twenty games, so it can be stopped at any moment and
goes on where it was. All pairings get their first games before any gets more. Every game is played in one process with
one thread; with a time limit for each turn, `--jobs` must leave every game a processor of its own, and anything else
that is busy meanwhile would be a part of the result. Results of different states of the searches do not belong into
one file: remove it after a change.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import math
import re
import shlex
import sys
import time
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from wts_fast.files import write_text_atomically
from wts_fast.match import Match, play_match, processes
from wts_fast.match.statistics import Adjusted, Estimate, adjusted, estimate, pair_counts
from wts_fast.measure import machine

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "bench" / "ladder.jsonl"
PAGE = ROOT / "docs" / "solver.md"
CHUNK = 20  # games that are played, and saved, at once: those of one seed
LUCK = "fitted"
RULES = ("duct", "rm", "rm+", "exp3", "oos")
TREE = "tree:seconds=0.1"
VARIANT = "command:seconds=0.1,python bench/variant.py"


@dataclass(frozen=True)
class Pairing:
    """Two players.

    Attributes
    ----------
    name : str
        For `--only`.
    first, second : str
        As `wts-fast match` reads them.
    floor : int or None
        How many Elo the first should be better at least.
    about : str
        What the pairing is to show.
    """

    name: str
    first: str
    second: str
    floor: int | None = None
    about: str = ""

    def scaled(self, scale: float) -> Pairing:
        """Return the same pairing with other times for a turn."""

        def other(text: str) -> str:
            return re.sub(r"seconds=([0-9.]+)", lambda match: f"seconds={float(match[1]) * scale:.9g}", text)

        return self if scale == 1 else replace(self, first=other(self.first), second=other(self.second))


FLOORS = (
    Pairing("tree-duct", TREE, "duct:seconds=0.1,leaf=evaluation", 150),
    Pairing("tree-rm", TREE, "rm:seconds=0.1,leaf=evaluation", 150),
    Pairing("tree-rm+", TREE, "rm+:seconds=0.1,leaf=evaluation"),
    Pairing("tree-exp3", TREE, "exp3:seconds=0.1,leaf=evaluation"),
    Pairing("tree-oos", TREE, "oos:seconds=0.1,leaf=evaluation"),
    Pairing("tree-flat", TREE, "flat:seconds=0.1", 350),
    Pairing("tree-one-turn", TREE, "one-turn", 200),
    Pairing("fitted-hand", TREE, f"{TREE},weights=hand", 80),
    Pairing("50-25", "tree:seconds=0.05", "tree:seconds=0.025", 15),
    Pairing("100-50", TREE, "tree:seconds=0.05", 15),
    Pairing("200-100", "tree:seconds=0.2", TREE, 15),
)

#: One common opponent, which takes hardly any time.
LADDER = tuple(
    Pairing(f"{first} one-turn".replace(":seconds=0.1", ""), first, "one-turn")
    for first in (
        "random",
        "one-turn:weights=hand",
        "flat:seconds=0.1",
        *(f"{rule}:seconds=0.1" for rule in RULES),
        *(f"{rule}:seconds=0.1,leaf=evaluation" for rule in RULES),
        f"{TREE},weights=hand",
        "tree:seconds=0.025",
        "tree:seconds=0.05",
        TREE,
        "tree:seconds=0.2",
    )
)

IDEAS = (
    Pairing("search", TREE, "one-turn", about="the tree: against what the evaluation says without it"),
    Pairing("fitted", TREE, f"{TREE},weights=hand", about="weights fitted to games, against weights set by hand"),
    Pairing("carry", TREE, f"{VARIANT} carry=0", about="errors found behind some cells are carried over to the others"),
    Pairing("explore", TREE, f"{VARIANT} explore=0", about="a part of the search goes to squares that lose little"),
    Pairing("matrix", TREE, "rm:seconds=0.1,leaf=evaluation", about="matrices solved anew, against learners' averages"),
    *(
        Pairing(f"leaf {rule}", f"{rule}:seconds=0.1,leaf=evaluation", f"{rule}:seconds=0.1", about=about)
        for rule, about in (("duct", "the evaluation, against one random game"), ("rm", "the same with another rule"))
    ),
    *(
        Pairing(
            f"answer {rule}",
            f"{rule}:seconds=0.1,leaf=evaluation,final=root-matrix",
            f"{rule}:seconds=0.1,leaf=evaluation",
            about=about,
        )
        for rule, about in (
            ("duct", "the equilibrium of the payoffs seen, against shares of visits"),
            ("rm", "the same against the average strategy"),
        )
    ),
)

#: Every table of the page by the name of its markers.
TABLES = {"floors": FLOORS, "ladder": LADDER, "ideas": IDEAS}


class Ladder:
    """What has been played, in a file of JSON lines.

    Attributes
    ----------
    chunks : dict
        The lines of a pair of players, by the seed that their games have.
    latest : dict or None
        The last line.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.chunks: dict[tuple[str, str], dict[int, list[tuple[float, tuple[float, float]]]]] = {}
        self.latest: dict[str, Any] | None = None
        if path.exists():
            whole, _, rest = path.read_text(encoding="utf-8").rpartition("\n")
            if rest:  # cut off while it was written
                write_text_atomically(path, whole + "\n" * bool(whole))
            for line in whole.splitlines():
                self._take(json.loads(line))

    def _take(self, line: dict[str, Any]) -> None:
        games = [(score, (ends, rest)) for score, ends, rest in line["games"]]
        self.chunks.setdefault((line["first"], line["second"]), {})[line["seed"]] = games
        self.latest = line

    def games(self, pairing: Pairing) -> list[tuple[float, tuple[float, float]]]:
        """Return score and luck of every game, the first player's, pair after pair."""
        chunks = self.chunks.get((pairing.first, pairing.second), {})
        return [game for seed in sorted(chunks) for game in chunks[seed]]

    def found(self, pairing: Pairing) -> tuple[int, Estimate, Adjusted]:
        """Return how many games there are, and what they say with the luck and without."""
        games = self.games(pairing)
        pairs = [(games[i], games[i + 1]) for i in range(0, len(games), 2)]
        luck = [((a[1][0] + b[1][0]) / 2, (a[1][1] + b[1][1]) / 2) for a, b in pairs]
        counts = pair_counts((a[0], b[0]) for a, b in pairs)
        return len(games), estimate(counts), adjusted([(a[0] + b[0]) / 2 for a, b in pairs], luck)

    def seeds(self, pairing: Pairing) -> str:
        """Return which seeds were played."""
        seeds = sorted(self.chunks.get((pairing.first, pairing.second), {}))
        return f"{seeds[0]}" if len(seeds) == 1 else f"{seeds[0]}–{seeds[-1]}"

    def play(self, pairing: Pairing, games: int, executor: Executor | None, jobs: int) -> None:
        """Play the next games of a pairing and save them."""
        seed = 1 + len(self.chunks.get((pairing.first, pairing.second), {}))
        here = f"{shlex.quote(sys.executable)} {shlex.quote(str(ROOT / 'bench'))}/"
        first, second = (text.replace("python bench/", here) for text in (pairing.first, pairing.second))
        match: Match = play_match(first, second, games=games, seed=seed, luck=LUCK, executor=executor, workers=jobs)
        if match.stopped_by != "games":
            sys.exit(match.failed or 130)
        line = {
            "first": pairing.first,
            "second": pairing.second,
            "seed": seed,
            "games": [[game.score, *(round(part, 6) for part in game.luck or ())] for game in match.in_order],
            "processor": machine()["processor"],
            "jobs": jobs,
            "date": datetime.date.today().isoformat(),
        }
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
        self._take(line)


def run(ladder: Ladder, pairings: Sequence[Pairing], most: int, jobs: int = 1, deadline: float = math.inf) -> None:
    """Give every pairing some games before any gets more, up to `most` and the deadline."""
    with contextlib.ExitStack() as stack:
        executor = stack.enter_context(processes(jobs)) if jobs > 1 else None
        for target in (*range(CHUNK, most, CHUNK), most):
            for pairing in pairings:
                while (missing := target - len(ladder.games(pairing))) > 0:
                    if time.monotonic() >= deadline:
                        return
                    ladder.play(pairing, min(CHUNK, missing), executor, jobs)
                    number, plain, less = ladder.found(pairing)
                    told = f"{number} games, Elo {interval(plain)}, adjusted {interval(less)}"
                    print(f"{pairing.name}: {told}", flush=True)


def interval(found: Estimate | Adjusted) -> str:
    """Return Elo with its 95 % interval."""

    def sign(elo: float) -> str:
        return f"{elo:+.0f}".replace("inf", "∞").replace("-", "−")

    return f"{sign(found.elo)} [{sign(found.elo_lower)}, {sign(found.elo_upper)}]"


def table(ladder: Ladder, name: str) -> str:
    """Return the pairings of a table that have games, in Markdown, and where they were played."""
    pairings = [pairing for pairing in TABLES[name] if ladder.games(pairing)]
    if not pairings or ladder.latest is None:
        return f"Nothing is played of this table: `python bench/ladder.py --jobs 2 --only {name}` does it."
    if name == "ladder":
        pairings.sort(key=lambda pairing: ladder.found(pairing)[2].score)
    extra = {"floors": "floor", "ladder": "", "ideas": "what it shows"}[name]
    head = "| first | second | games | score | Elo [95 %] | luck-adjusted [95 %] | seeds |"
    rows = [head + f" {extra} |" * bool(extra), "|---|---|---:|---:|---:|---:|---:|" + "---|" * bool(extra)]
    for pairing in pairings:
        number, plain, less = ladder.found(pairing)
        row = f"| `{pairing.first}` | `{pairing.second}` | {number} | {100 * plain.score:.1f} % "
        row += f"| {interval(plain)} | {interval(less)} | {ladder.seeds(pairing)} |"
        tail = pairing.about or ("" if pairing.floor is None else f"+{pairing.floor}")
        rows.append(row + f" {tail} |" * bool(extra))
    jobs = ladder.latest["jobs"]
    once = "one game at a time" if jobs == 1 else f"{jobs} games at once"
    rows += ["", f"On {ladder.latest['processor']}, {once}, {ladder.latest['date']}."]
    return "\n".join(rows)


def replaced(text: str, name: str, figures: str) -> str:
    """Return a page with `figures` between the markers of that name."""
    markers = re.compile(rf"(<!-- {name}: begin -->\n).*?(<!-- {name}: end -->\n)", re.DOTALL)
    new, times = markers.subn(lambda match: match[1] + figures + "\n" + match[2], text)
    if times != 1:
        sys.exit(f"{PAGE.name}: expected the markers <!-- {name}: begin --> and <!-- {name}: end --> once")
    return new


def write_page(ladder: Ladder) -> None:
    """Put all tables into the page."""
    text = PAGE.read_text(encoding="utf-8")
    for name in TABLES:
        text = replaced(text, name, table(ladder, name))
    write_text_atomically(PAGE, text)


def chosen(only: Sequence[str] | None) -> tuple[Pairing, ...]:
    """Return the pairings that are asked for, by their names or by tables; each two players once."""
    pairings = [(name, pairing) for name, pairings in TABLES.items() for pairing in pairings]
    known = set(TABLES) | {pairing.name for _, pairing in pairings}
    for name in only or ():
        if name not in known:
            sys.exit(f"no pairing and no table is called {name!r}; there are {', '.join(sorted(known))}")
    wanted: dict[tuple[str, str], Pairing] = {}
    for name, pairing in pairings:
        if not only or name in only or pairing.name in only:
            wanted.setdefault((pairing.first, pairing.second), pairing)
    return tuple(wanted.values())


def even(text: str) -> int:
    """Read a number of games."""
    number = int(text)
    if number < 2 or number % 2:
        raise argparse.ArgumentTypeError("expected an even number from 2")
    return number


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0], allow_abbrev=False)
    parser.add_argument("--only", metavar="NAME", action="append", help="a pairing or a table; can be given again")
    parser.add_argument("--games", type=even, default=200, metavar="N", help="of each pairing (%(default)s)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="games at once (%(default)s)")
    parser.add_argument("--minutes", type=float, default=math.inf, metavar="N", help="begin no games after so long")
    parser.add_argument(
        "--time-scale", type=float, default=1.0, metavar="F", help="times for a turn, times F; no tables"
    )
    parser.add_argument("--table", action="store_true", help="play nothing, write the tables")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="FILE", help="the file of results")
    args = parser.parse_args()
    ladder = Ladder(args.results)
    if not args.table:
        pairings = [pairing.scaled(args.time_scale) for pairing in chosen(args.only)]
        run(ladder, pairings, args.games, args.jobs, time.monotonic() + 60 * args.minutes)
    if args.time_scale == 1 and args.results == RESULTS:
        write_page(ladder)


if __name__ == "__main__":
    main()
