"""README.md says what is so: its sessions, commands, figures and links, each against the thing itself."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
BIN = Path(sys.executable).parent


def blocks(kind: str) -> list[str]:
    found = [text for name, text in BLOCKS if name == kind]
    assert found, f"README.md has no {kind} block"
    return found


def sessions() -> list[tuple[str, str]]:
    """Commands of the ``console`` blocks, each with the output that README.md shows."""
    return [
        (command, output)
        for block in blocks("console")
        for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    ]


def run(command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of README.md with this environment in the place of ``.venv``."""
    arguments = [
        str(BIN / word.removeprefix(".venv/bin/")) if word.startswith(".venv/bin/") else word
        for word in shlex.split(command)
    ]
    return subprocess.run(arguments, cwd=cwd, capture_output=True, text=True, timeout=120)


def test_the_first_screen_fits_40_lines() -> None:
    """The sentence, the picture, the commands and a game: all before the first heading of the rest."""
    first_screen = README.partition("\n## ")[0]
    assert len(first_screen.splitlines()) <= 40
    for what in ("What the Shell", "```sh\n", "E5"):
        assert what in first_screen


def test_two_commands_set_up_one_runs_one_tests() -> None:
    (commands,) = blocks("sh")
    lines = [line.partition("#")[0].strip() for line in commands.splitlines()]
    assert lines[:2] == ["python3 -m venv .venv", ".venv/bin/pip install -e '.[dev]'"]
    assert len(lines) == 4
    assert lines[2].startswith(".venv/bin/wts-fast analyze ")
    assert lines[3] == ".venv/bin/python -m pytest"
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    # The check does what README.md tells a stranger to do.
    assert "install -q -e '.[dev]'" in script
    assert '"$bin/python" -m pytest' in script


def test_the_main_job_runs(tmp_path: Path) -> None:
    (commands,) = blocks("sh")
    done = run(commands.splitlines()[2].partition("#")[0], tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "A" in done.stdout


def test_the_python_sessions_give_what_is_shown() -> None:
    parser = doctest.DocTestParser()
    text = "\n".join(blocks("pycon"))
    test = parser.get_doctest(text, {}, "README.md", "README.md", 0)
    assert len(test.examples) >= 8
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.FAIL_FAST).run(test, out=report.append)
    assert result.failed == 0, "".join(report)


@pytest.mark.parametrize(("command", "shown"), sessions(), ids=lambda value: value if "wts-fast" in value else "")
def test_the_commands_print_what_is_shown(command: str, shown: str) -> None:
    done = run(command, ROOT)
    assert done.returncode == 0, done.stderr
    assert [line.rstrip() for line in done.stdout.splitlines()] == shown.rstrip("\n").splitlines()


def test_the_picture_is_what_the_engine_draws() -> None:
    from wts_fast import Position
    from wts_fast.draw import text

    (picture,) = blocks("text")
    match = re.search(r"<!-- picture: (.*), (\w\w) (\w\w) -->", README)
    assert match is not None
    before = Position(match[1])
    after = before.play(match[2], match[3])
    drawn = text.side_by_side(text.board(before, legend=False), text.board(after, legend=False))
    assert [line.rstrip() for line in picture.splitlines()] == [line.rstrip() for line in drawn.splitlines()]


def test_the_figures_were_measured_for_this_behaviour() -> None:
    """The table is written by bench/update_readme.py; the signature in it tells whether anything has changed since."""
    from wts_fast.signature import format_signature, signature

    match = re.search(r"<!-- bench: begin -->\n(.*?)<!-- bench: end -->\n", README, re.DOTALL)
    assert match is not None
    assert re.search(r"signature `?(\w+)`?", match[1])[1] == format_signature(signature())  # type: ignore[index]


def test_a_figure_without_a_run_is_noticed(tmp_path: Path) -> None:
    """The script finds its markers and changes nothing else."""
    sys.path.insert(0, str(ROOT / "bench"))
    try:
        import update_readme
    finally:
        sys.path.remove(str(ROOT / "bench"))
    new = update_readme.replaced(README, "NEW\n")
    assert "<!-- bench: begin -->\nNEW\n<!-- bench: end -->\n" in new
    outside = re.compile(r"(?<=<!-- bench: begin -->\n).*?(?=<!-- bench: end -->)", re.DOTALL)
    assert outside.sub("", new) == outside.sub("", README)
    with pytest.raises(SystemExit):
        update_readme.replaced("no markers", "NEW\n")


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "RULES.md", "CHANGELOG.md"])
def test_links_lead_somewhere(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text)]
    assert [t for t in targets if t and not t.startswith(("http:", "https:")) and not (ROOT / t).exists()] == []


def test_the_rulings_are_those_of_rules_md() -> None:
    rules = (ROOT / "RULES.md").read_text(encoding="utf-8")
    table = README.partition("## Where the rules are silent")[2].partition("\n## ")[0]
    clauses = re.findall(r"^\| (R\d+) \|", table, re.MULTILINE)
    assert clauses == ["R10", "R13", "R14", "R16", "R23", "R25"]
    assert all(clause in rules for clause in clauses)


def test_what_is_checked_is_counted_right() -> None:
    from wts_fast.conformance import load

    cases = load()
    match = re.search(r"(\d+) conformance cases", README)
    assert match is not None
    assert int(match[1]) == len(cases)
