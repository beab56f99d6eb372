"""Break each clause of the rules in a copy of the kernel, and see that the suite turns red.

``python tests/mutate.py``, with the Python of the development environment, tries every break of
``tests/data/breaks.txt`` (about seven minutes); clauses as arguments, such as ``R7 R16``, try theirs
alone. Each break is compiled in a temporary copy, and the rule tests run against it: red is right.
The checkout itself is not touched. Exit status 0 if every break was seen, 1 if one was not, 2 if
the breaks no longer fit the sources or the unbroken copy is red.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BREAKS = ROOT / "tests/data/breaks.txt"
COPIED = ["src", "wts_fast", "tests", "setup.py", "pyproject.toml", "RULES.md"]
# The oracle's runs would only cost time: it is not what is broken.
PYTEST = [
    "-m",
    "pytest",
    "-x",
    "-q",
    "-p",
    "no:cacheprovider",
    "-k",
    "not oracle",
    "tests/rules",
    "tests/test_playouts.py",
    "tests/test_cases.py",
]


class Break(NamedTuple):
    """One change of a source file: `old`, which stands in it exactly once, becomes `new`."""

    clause: str
    file: str
    what: str
    old: str
    new: str


def read_breaks() -> list[Break]:
    text = BREAKS.read_text(encoding="utf-8")
    pattern = re.compile(r"^=== (R\d+), (\S+): (.*?)\n(.*?)\n---\n(.*?)(?:\n)?(?=^===)", re.MULTILINE | re.DOTALL)
    return [Break(*match.groups()) for match in pattern.finditer(text)]


def broken(text: str, change: Break) -> str:
    """Return a source text with the change made; the text must offer one place for it."""
    if text.count(change.old) != 1:
        raise LookupError(f"{change.clause}, {change.what}: found {text.count(change.old)} times in {change.file}")
    return text.replace(change.old, change.new)


def python(copy: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # The copy comes first on the path, so that an installed package is not what is tested.
    environment = os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)


def red(copy: Path) -> str | None:
    """Build the copy and run its tests: None if they are green, else what showed the break."""
    build = python(copy, "setup.py", "-q", "build_ext", "--inplace")
    if build.returncode:
        raise RuntimeError(f"the copy does not compile:\n{build.stdout}{build.stderr}")
    where = python(copy, "-c", "import wts_fast._kernel as kernel; print(kernel.__file__)").stdout.strip()
    if not Path(where).is_relative_to(copy):
        raise RuntimeError(f"the tests would not see the copy, but {where}")
    tests = python(copy, *PYTEST)
    if tests.returncode == 0:
        return None
    failed = re.search(r"^(?:FAILED|ERROR) \S*?(\w+(?:\[[^\]]*\])?)(?: - .*)?$", tests.stdout, re.MULTILINE)
    # A kernel that is broken badly enough ends the process; that is red as well.
    return failed[1] if failed else f"pytest ended with {tests.returncode}"


def main(clauses: list[str]) -> int:
    changes = [change for change in read_breaks() if not clauses or change.clause in clauses]
    unseen = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder).resolve()
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
            else:
                shutil.copy(ROOT / name, copy / name)
        setup = copy / "setup.py"
        setup.write_text(setup.read_text(encoding="utf-8").replace('"-O3"', '"-O1"'), encoding="utf-8")
        (copy / "README.md").touch()
        failure = red(copy)
        if failure:
            print(f"the unbroken kernel is red: {failure}")
            return 2
        for change in changes:
            source = copy / "src/wts_fast" / change.file
            whole = source.read_text(encoding="utf-8")
            started = time.monotonic()
            source.write_text(broken(whole, change), encoding="utf-8")
            failure = red(copy)
            source.write_text(whole, encoding="utf-8")
            unseen += failure is None
            seen = f"red    {failure}" if failure else "GREEN"
            print(f"{change.clause:4}{change.what:58}{seen} ({time.monotonic() - started:.0f} s)", flush=True)
    print(f"{len(changes) - unseen} of {len(changes)} breaks seen")
    return 1 if unseen else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (LookupError, RuntimeError) as error:
        print(error, file=sys.stderr)
        sys.exit(2)
