"""The verb ``doctor``: what was built, what is used, and whether it works here."""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import tempfile
from importlib import metadata
from typing import Any

from .. import __version__
from ..errors import WtsError
from .common import print_json

__all__ = ["EXAMPLE", "HELP", "add_arguments", "examine", "run"]

HELP = "say what was built, what is used and whether it works here"
EXAMPLE = "wts-fast doctor --json"

NUM_TURNS = 500
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
    versions: dict[str, str | None] = {"wts_fast": __version__}
    for name in ("numpy", "numba", "llvmlite", "rich"):
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


def _rules(problems: list[str]) -> dict[str, Any]:
    """Play the fuzzer's games, crowded boards among them, on both engines and compare them after every turn."""
    from ..fuzz import fuzz

    try:
        kernel = importlib.import_module("wts_fast._kernel").Position
    except (ImportError, WtsError):
        return {}  # already told as a problem of the kernel
    report = fuzz(seed=SEED, turns=NUM_TURNS, seconds=SECONDS, kernel=kernel)
    problems += [f"rules: kernel and oracle differ, {failure.difference}" for failure in report.failures]
    return {"turns": report.turns, "seed": SEED, "seconds": round(report.seconds, 3)}


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
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(inner)}" for name, inner in value.items())
    if isinstance(value, (list, tuple)):
        return " ".join(map(_plain, value))
    return str(value)
