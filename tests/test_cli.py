"""The command from outside: exit statuses, one clear line for every trouble, never a traceback."""

from __future__ import annotations

import importlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from wts_fast.cli import VERBS

COMMAND = [sys.executable, "-m", "wts_fast"]
START = "9/9/9/9/9/9/9/9/9 -"
FULL_WIDTH_FIVE = "\uff15"

#: Arguments with which a verb prints its result within a second or so.
QUICK = {
    "analyze": ["start", "--nodes", "2000", "--seed", "1"],
    "review": [str(Path(__file__).resolve().parents[1] / "examples" / "selfplay.wts"), "--nodes", "20"],
    "show": ["start"],
    "fuzz": ["--seconds", "0.5", "--seed", "1"],
    "match": ["random", "random", "--games", "2", "--luck", "none", "--workers", "1"],
    "perft": ["start", "1"],
    "doctor": [],
}


def environment(**changes: str | None) -> dict[str, str]:
    merged = {**os.environ, "PYTHONSAFEPATH": "1", **changes}
    return {name: value for name, value in merged.items() if value is not None}


def run(
    *arguments: str, cwd: Path, stdin: str | None = None, **changes: str | None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments],
        cwd=cwd,
        env=environment(**changes),
        input=stdin,
        stdin=subprocess.DEVNULL if stdin is None else None,
        capture_output=True,
        text=True,
        timeout=300,
    )


def assert_one_clear_line(done: subprocess.CompletedProcess[str], status: int = 2) -> None:
    assert "Traceback" not in done.stderr
    assert done.returncode == status, done.stderr
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("wts-fast")


# ---------------------------------------------------------------- help and version


def test_version_is_one_line(tmp_path: Path) -> None:
    import wts_fast

    assert run("--version", cwd=tmp_path).stdout == f"wts-fast {wts_fast.__version__}\n"


def test_the_help_lists_every_verb_with_its_line(tmp_path: Path) -> None:
    done = run("--help", cwd=tmp_path)
    assert done.returncode == 0
    for verb in VERBS:
        line = importlib.import_module(f"wts_fast.cli.{verb}").HELP
        assert f"  {verb:<9} {line.rstrip('.')}\n" in done.stdout


def test_every_module_of_a_verb_is_listed() -> None:
    import wts_fast.cli

    folder = Path(wts_fast.cli.__file__).parent
    found = {path.stem for path in folder.glob("*.py") if "\ndef add_arguments(" in path.read_text(encoding="utf-8")}
    assert found == set(VERBS)


def test_without_a_verb_the_help_is_shown_and_the_status_is_2(tmp_path: Path) -> None:
    done = run(cwd=tmp_path)
    assert (done.returncode, done.stdout.splitlines()[0]) == (2, "usage: wts-fast VERB ...")


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb_ends_with_an_example_that_parses(verb: str, tmp_path: Path) -> None:
    import argparse

    module = importlib.import_module(f"wts_fast.cli.{verb}")
    done = run(verb, "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.rstrip().endswith(f"example:\n  {module.EXAMPLE}")
    parser = argparse.ArgumentParser(exit_on_error=False)
    module.add_arguments(parser)
    words = shlex.split(module.EXAMPLE)
    assert words[:2] == ["wts-fast", verb]
    parser.parse_args(words[2 : words.index(">") if ">" in words else None])


def test_a_verb_imports_no_other(tmp_path: Path) -> None:
    code = (
        "import sys; from wts_fast.cli import main; main(['show', 'start'])\n"
        "print('|', *sorted(m for m in sys.modules if m.startswith('wts_fast.cli.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert set(done.stdout.rpartition("|")[2].split()) <= {
        f"wts_fast.cli.{name}" for name in ("show", "common", "terminal")
    }


# ---------------------------------------------------------------- bad usage


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["ana"],  # no abbreviations: a later verb would change their meaning
        ["--nonsense"],
        ["show"],
        ["show", "start", "start"],
        ["show", ""],
        ["show", "start", "--nonsense"],
        ["show", "9/9/9/9/9/9/9/9 -"],
        ["show", "9/9/9/9/9/9/9/9/9"],
        ["show", START.replace("9 -", f"{FULL_WIDTH_FIVE}4 -")],
        ["show", "9/9/9/9/4e4/9/9/9/9 -"],
        ["show", "missing.wts"],
        ["show", "missing.wts@3"],
        ["show", "."],
        ["show", "\x00"],
        ["check", "missing.wts"],
        ["check", "."],
        ["analyze", "start", "--seconds", "0"],
        ["analyze", "start", "--seconds", "-1"],
        ["analyze", "start", "--seconds", "nan"],
        ["analyze", "start", "--seconds", "inf"],
        ["analyze", "start", "--seconds", "1e400"],
        ["analyze", "start", "--seconds", FULL_WIDTH_FIVE],
        *(
            ["analyze", "start", option, value]
            for option in ("--seed", "--nodes", "--threads")
            for value in ("1.5", "True", FULL_WIDTH_FIVE, "-1", "1_0", " 1", "", "9" * 400)
        ),
        ["analyze", "start", "--threads", "0"],
        ["fuzz", "--seconds", "x"],
        ["fuzz", "--seed", "1.5"],
        ["perft", "start", "True"],
        ["perft", "start", "-1"],
        ["perft", "start", FULL_WIDTH_FIVE],
    ],
    ids=lambda arguments: " ".join(arguments)[:60].encode("ascii", "backslashreplace").decode(),
)
def test_bad_usage_is_one_line_and_status_2(
    arguments: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    from wts_fast.cli import main

    # In this process, as each start would cost more than the check; that errors end alike from outside is
    # shown below by test_errors_look_the_same_from_outside.
    old = Path.cwd()
    os.chdir(tmp_path)
    try:
        status = main(arguments)
    finally:
        os.chdir(old)
    out, err = capfd.readouterr()
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1, err
    assert err.startswith("wts-fast")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nonsense"], ["nonsense", "analyze"]),
        (["analyze", "start", "--seed", "1.5"], ["--seed", "1.5"]),
        (["show", "9/9/9/9/9/9/9/9 -"], ["column"]),
        (["show", "missing.wts"], ["No such file", "missing.wts"]),
    ],
    ids=" ".join,
)
def test_errors_look_the_same_from_outside(arguments: list[str], words: list[str], tmp_path: Path) -> None:
    done = run(*arguments, cwd=tmp_path)
    assert_one_clear_line(done)
    assert all(word in done.stderr for word in words), done.stderr


# ---------------------------------------------------------------- positions


RECORD = """\
[Black "Ada"]
[White "Bo"]
[Date "2026.01.02"]
[Result "*"]

1. E5 E5 2. A1 B1 *
"""


@pytest.mark.parametrize(
    ("turn", "text"),
    [
        ("@0", START),
        ("@1", "9/9/9/9/4e4/9/9/9/9 E5"),
        ("@2", "9/9/9/9/4e4/9/9/9/bw7 E5"),
        ("", "9/9/9/9/4e4/9/9/9/bw7 E5"),
    ],
)
def test_a_position_argument_may_be_a_turn_of_a_record(turn: str, text: str, tmp_path: Path) -> None:
    from wts_fast.cli.common import read_position

    (tmp_path / "game.wts").write_text(RECORD, encoding="utf-8")
    assert str(read_position(f"{tmp_path / 'game.wts'}{turn}")) == text


@pytest.mark.parametrize("turn", ["3", "-1", "x", "1.5", "", FULL_WIDTH_FIVE, "9" * 5000])
def test_a_turn_that_a_record_does_not_have_is_refused(turn: str, tmp_path: Path) -> None:
    from wts_fast.cli.common import read_position
    from wts_fast.errors import WtsError

    (tmp_path / "game.wts").write_text(RECORD, encoding="utf-8")
    with pytest.raises(WtsError) as caught:
        read_position(f"{tmp_path / 'game.wts'}@{turn}")
    assert caught.value.field == "turn"
    assert len(str(caught.value)) < 200


def test_a_file_of_several_games_is_no_position(tmp_path: Path) -> None:
    from wts_fast.cli.common import read_position
    from wts_fast.errors import WtsError

    (tmp_path / "two.wts").write_text(f"{RECORD}\n{RECORD}", encoding="utf-8")
    with pytest.raises(WtsError, match="more than one game"):
        read_position(str(tmp_path / "two.wts"))


def test_a_file_without_a_game_is_no_position(tmp_path: Path) -> None:
    from wts_fast.cli.common import read_position
    from wts_fast.errors import WtsError

    (tmp_path / "none.wts").write_text("", encoding="utf-8")
    with pytest.raises(WtsError):
        read_position(str(tmp_path / "none.wts"))


@pytest.mark.parametrize("content", [START, f"{START}\n", f"{START}\r\n", RECORD], ids=["bare", "lf", "crlf", "record"])
def test_a_dash_reads_standard_input(content: str, tmp_path: Path) -> None:
    done = run("show", "-", cwd=tmp_path, stdin=content)
    assert done.returncode == 0, done.stderr
    assert ("E5" in done.stdout) == (content == RECORD)


@pytest.mark.parametrize(
    "content",
    ["", "\n", "nonsense\n", "\udcff\udcfe", "9" * 2_000_000],
    ids=["empty", "blank", "nonsense", "no-utf8", "endless"],
)
def test_bad_standard_input_is_one_line_and_status_2(content: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "show", "-"],
        cwd=tmp_path,
        env=environment(),
        input=content.encode("utf-8", "surrogateescape"),
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert done.stderr.startswith(b"wts-fast show: ")
    assert done.stderr.count(b"\n") == 1
    assert len(done.stderr) < 300


# ---------------------------------------------------------------- faults of the world


@pytest.mark.parametrize("verb", sorted(QUICK))
def test_a_closed_pipe_ends_quietly(verb: str, tmp_path: Path) -> None:
    line = f"{shlex.join([*COMMAND, verb, *QUICK[verb]])} | true"
    done = subprocess.run(
        ["bash", "-c", line], cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=120
    )
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert "Broken" not in done.stderr


def test_the_status_of_a_closed_pipe_is_not_success(tmp_path: Path) -> None:
    line = f"{shlex.join([*COMMAND, '--help'])} | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], env=environment(), cwd=tmp_path, capture_output=True, text=True)
    # 0 where the text had gone before the reader had: nothing was lost then.
    assert done.stdout.strip() in ("0", "141")
    assert done.stderr == ""


@pytest.mark.parametrize(
    "arguments", [["--version"], ["--help"], *([v, *QUICK[v]] for v in sorted(QUICK))], ids=" ".join
)
def test_a_full_disk_is_one_line(arguments: list[str], tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, *arguments], cwd=tmp_path, env=environment(), stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert "Traceback" not in done.stderr
    assert done.returncode == 2
    assert [line for line in done.stderr.splitlines() if "No space left on device" in line] == [
        done.stderr.splitlines()[-1]
    ]


def test_a_closed_output_is_one_line(tmp_path: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{shlex.join([*COMMAND, '--version'])} >&-"], env=environment(), capture_output=True, text=True
    )
    assert_one_clear_line(done)


def test_a_closed_error_output_changes_no_status(tmp_path: Path) -> None:
    done = subprocess.run(["bash", "-c", f"{shlex.join([*COMMAND, 'nonsense'])} 2>&-"], env=environment())
    assert done.returncode == 2


@pytest.mark.parametrize(
    "changes",
    [
        {"HOME": None, "XDG_CACHE_HOME": None},
        {"HOME": "/nowhere", "XDG_CACHE_HOME": None},
        {"NUMBA_CACHE_DIR": "/dev/null/cache"},
        {"NUMBA_CACHE_DIR": "/dev/null/cache", "HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null"},
    ],
    ids=["no-home", "missing-home", "bad-cache", "nothing-writable"],
)
def test_a_missing_home_or_cache_folder_costs_no_answer(changes: dict[str, str | None], tmp_path: Path) -> None:
    # The method that compiles fastest: where compiled code is kept is the same for all.
    done = run("analyze", *QUICK["analyze"], "--method", "flat", "--json", cwd=tmp_path, **changes)
    assert "Traceback" not in done.stderr
    assert done.returncode == 0, done.stderr
    assert len(done.stderr.splitlines()) <= 1
    json.loads(done.stdout)


@pytest.mark.parametrize("verb", ["show", "analyze", "review", "doctor"])
def test_no_color_means_no_escape_codes(verb: str, tmp_path: Path) -> None:
    done = run(verb, *QUICK[verb], cwd=tmp_path, NO_COLOR="1", FORCE_COLOR=None, TERM="xterm-256color")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("verb", ["show", "analyze", "review", "doctor"])
def test_an_ascii_terminal_gets_its_output(verb: str, tmp_path: Path) -> None:
    done = run(verb, *QUICK[verb], cwd=tmp_path, PYTHONIOENCODING="ascii", LC_ALL="C")
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()


@pytest.mark.parametrize(
    "arguments", [["analyze", "start", "--seconds", "60"], ["fuzz", "--seconds", "60"]], ids=" ".join
)
def test_ctrl_c_ends_with_130(arguments: list[str], tmp_path: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    try:
        _, err = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert "Traceback" not in err


# ---------------------------------------------------------------- doctor


def test_doctor_finds_nothing_wrong_here(tmp_path: Path) -> None:
    done = run("doctor", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    data = json.loads(done.stdout)
    assert data["ok"] is True
    assert data["problems"] == []
    assert data["rules"]["turns"] > 0
    assert data["rules"]["turns"] == 500 or data["rules"]["seconds"] >= 0.9  # a slow machine stops by the clock
    assert data["kernel"]["isa"] in data["kernel"]["isa_usable"]
    assert set(data["random_games"]) == set(data["kernel"]["isa_usable"])


def test_doctor_names_a_kernel_that_breaks_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    import wts_fast._kernel
    import wts_fast.engine  # now, lest it should take the broken one along for good
    from wts_fast.cli import doctor
    from wts_fast.oracle import Position

    class Forgetful(Position):
        """A kernel that lays no eggs."""

        def play(self, black: object, white: object) -> Position:
            return self if black == white else super().play(black, white)

    monkeypatch.setattr(wts_fast._kernel, "Position", Forgetful)
    report = doctor.examine()
    assert report["ok"] is False
    assert any(problem.startswith("rules: kernel and oracle differ") for problem in report["problems"])


def test_doctor_refuses_an_instruction_set_that_is_not_there(tmp_path: Path) -> None:
    done = run("doctor", cwd=tmp_path, WTS_FAST_ISA="nonsense")
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stderr
    assert "WTS_FAST_ISA" in done.stdout + done.stderr


def test_a_missing_kernel_is_one_line(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['wts_fast._kernel'] = None\n"
        "from wts_fast.cli import main; sys.exit(main(['show', 'start']))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert_one_clear_line(done)
    assert "_kernel" in done.stderr
