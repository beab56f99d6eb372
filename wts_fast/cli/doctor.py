"""The verb ``doctor``: what was built, what is used, and whether it works here."""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import random
import tempfile
import time
from importlib import metadata
from typing import Any

from ..errors import WtsError
from ..squares import NUM_SQUARES
from ..state import State
from .common import print_json

__all__ = ["EXAMPLE", "HELP", "add_arguments", "examine", "run"]

HELP = "say what was built, what is used and whether it works here"
EXAMPLE = "wts-fast doctor --json"

NUM_TURNS = 300
SECONDS = 0.9  # so that a slow machine still answers in about a second
SEED = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the verb."""
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Print the report; the status is 1 if anything is wrong."""
    report = examine()
    if args.json:
        print_json(report, indent=2)
    else:
        print("\n".join(_lines(report)))
    return 0 if report["ok"] else 1


def examine() -> dict[str, Any]:
    """Look at everything and return the report, its findings under ``"problems"``."""
    problems: list[str] = []
    report = {
        "versions": _versions(problems),
        "kernel": _kernel(problems),
        "cache": _cache(problems),
        "rules": _rules(problems),
        "random_games": _random_games(problems),
    }
    return {"ok": not problems, "problems": problems, **report}


def _versions(problems: list[str]) -> dict[str, str | None]:
    versions: dict[str, str | None] = {}
    for name in ("wts_fast", "numpy", "numba", "llvmlite"):
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            versions[name] = None
            problems.append(f"versions: {name} is not installed")
    versions["python"] = platform.python_version()
    versions["platform"] = platform.platform()
    return versions


def _kernel(problems: list[str]) -> dict[str, Any]:
    try:
        module = importlib.import_module("wts_fast._kernel")
    except (ImportError, WtsError) as error:
        problems.append(f"kernel: {error}")
        return {}
    return {"file": module.__file__, **module.build_info()}


def _cache(problems: list[str]) -> dict[str, Any]:
    try:
        jit = importlib.import_module("wts_fast._jit")
        jitted = importlib.import_module("wts_fast._matrix_jit")
    except (ImportError, OSError, RuntimeError, WtsError) as error:
        problems.append(f"cache: numba does not start: {error}")
        return {}
    function = next(value for value in vars(jitted).values() if hasattr(value, "py_func"))
    folder = jit.cache_folder(function)
    writable = False
    if folder is not None:
        try:
            os.makedirs(folder, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                writable = True
        except OSError as error:
            problems.append(f"cache: {folder} cannot be written: {error.strerror}")
    else:
        problems.append("cache: no folder can be written; set NUMBA_CACHE_DIR to one that can")
    return {
        "folder": folder,
        "writable": writable,
        "set_by": "NUMBA_CACHE_DIR" if "NUMBA_CACHE_DIR" in os.environ else None,
    }


def _kernel_position() -> Any:
    return importlib.import_module("wts_fast._kernel").Position


def _rules(problems: list[str]) -> dict[str, Any]:
    """Play random turns on both engines and compare them after each."""
    from ..oracle import Position as OraclePosition

    try:
        kernel_type = _kernel_position()
    except (ImportError, WtsError):
        return {"turns": 0}  # already told as a problem of the kernel
    rng = random.Random(SEED)
    start = time.perf_counter()
    turns = 0
    while turns < NUM_TURNS and time.perf_counter() - start < SECONDS:
        text = str(OraclePosition.from_state(_random_state(rng)))
        kernel, oracle = kernel_type(text), OraclePosition(text)
        while oracle.legal and turns < NUM_TURNS:
            black, white = rng.choice(oracle.legal), rng.choice(oracle.legal)
            told = kernel.explain(black, white).events, oracle.explain(black, white).events
            before, kernel, oracle = str(oracle), kernel.play(black, white), oracle.play(black, white)
            turns += 1
            different = [name for name, a, b in _facts(kernel, oracle) if a != b]
            different += ["events"] if told[0] != told[1] else []
            if different:
                problems.append(
                    f"rules: after {black} {white} in {before!r} the kernel differs in {', '.join(different)}"
                )
                break
    return {"turns": turns, "seed": SEED, "seconds": round(time.perf_counter() - start, 3)}


def _facts(kernel: Any, oracle: Any) -> list[tuple[str, object, object]]:
    names = ("state", "legal", "outcome", "sudden_death", "key")
    facts = [(name, getattr(kernel, name), getattr(oracle, name)) for name in names]
    facts += [(f"winning {c}", kernel.winning(c), oracle.winning(c)) for c in ("black", "white")]
    return [*facts, ("text", str(kernel), str(oracle))]


def _random_state(rng: random.Random) -> State:
    """Return a board that is partly filled: captures and hatches are rare in the first turns of a game."""
    filling = rng.uniform(0.0, 0.7)
    pieces: dict[str, list[int]] = {"b": [], "w": [], "e": []}
    for square in range(NUM_SQUARES):
        if rng.random() < filling:
            pieces[rng.choice("bwwbe")].append(square)
    rng.shuffle(pieces["e"])
    return State(tuple(pieces["b"]), tuple(pieces["w"]), tuple(pieces["e"]))


def _random_games(problems: list[str]) -> dict[str, str]:
    """Play the same random games on every code path that this processor can run."""
    try:
        engine = importlib.import_module("wts_fast.engine")
        paths = importlib.import_module("wts_fast._kernel").build_info()["isa_usable"]
    except (ImportError, WtsError):
        return {}
    checksums = {path: f"{engine.playouts(n=2000, seed=SEED, isa=path).checksum:016x}" for path in paths}
    if len(set(checksums.values())) > 1:
        problems.append(f"random games: code paths disagree: {_plain(checksums)}")
    return checksums


def _lines(report: dict[str, Any]) -> list[str]:
    lines = []
    for heading in ("versions", "kernel", "cache", "rules", "random_games"):
        lines.append(heading.replace("_", " "))
        lines += [f"  {name:<16} {_plain(value)}" for name, value in report[heading].items()]
    lines += ["", *(f"problem: {problem}" for problem in report["problems"])]
    lines.append("all is well" if report["ok"] else f"{len(report['problems'])} found")
    return lines


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(inner)}" for name, inner in value.items())
    if isinstance(value, (list, tuple)):
        return " ".join(str(item) for item in value)
    return {None: "-", True: "yes", False: "no"}.get(value, str(value)) if value in (None, True, False) else str(value)
