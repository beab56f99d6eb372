"""Playing at the terminal: who sees what when, the seal, keeping the game, and that nothing typed can hurt."""

from __future__ import annotations

import hashlib
import io
import os
import pty
import random
import re
import select
import signal
import string
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Any

import pytest

import wts_fast as wts
from wts_fast.cli import main, phrases, session
from wts_fast.cli.phrases import COMMANDS, PHRASES, Phrases
from wts_fast.levels import choose
from wts_fast.squares import parse_square

SEAL = re.compile(r"has chosen\. Seal: ([0-9a-f]{64})")
SHOWN = re.compile(r"chose ([A-I][1-9])\. Salt: ([0-9a-f]{32}); the seal fits\.")
OVER = "8w/8w/7ww/9/bbbbb4/9/9/9/b2b5 -"


class Played:
    """What came of a game whose lines were typed in advance."""

    def __init__(self, status: int, out: str, err: str) -> None:
        self.status, self.out, self.err = status, out, err


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)

    def run(lines: str, *arguments: str) -> Played:
        typed = lines.replace("; ", "\n") + "\n" * bool(lines)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed.encode()), "utf-8"))
        status = main(["play", *arguments])
        told = capsys.readouterr()
        assert "Traceback" not in told.err
        return Played(status, told.out, told.err)

    return run


# ---------------------------------------------------------------- the seal


def test_the_seal_is_shown_before_the_player_types_and_fits_afterwards(play: Any) -> None:
    done = play("E5; C3; G7", "--level", "3", "--seed", "4")
    assert done.status == 0
    seals, shown = SEAL.findall(done.out), SHOWN.findall(done.out)
    assert len(shown) == 3
    assert len(seals) == 4  # the last one is for the turn that was not played
    for seal, (square, salt) in zip(seals, shown, strict=False):
        assert hashlib.sha256(f"{square} {salt}".encode()).hexdigest() == seal
    where = [done.out.index(text) for text in (seals[0], "turn 1, Black: E5", f"chose {shown[0][0]}", seals[1])]
    assert where == sorted(where)
    assert shown[0][0] not in done.out[: done.out.index("turn 1, Black: E5")]


def test_the_engine_chooses_before_the_square_is_read_and_never_sees_it(play: Any, monkeypatch: Any) -> None:
    happened: list[tuple[str, str]] = []

    def watched(position: wts.Position, colour: int, level: int, **rest: Any) -> Any:
        happened.append(("chooses", str(position)))
        assert set(rest) == {"seed"}
        return choose(position, colour, level, **rest)

    class Watching(io.StringIO):
        def readline(self, *rest: Any) -> str:  # type: ignore[override]
            line = super().readline(*rest)
            happened.append(("typed", line.strip()))
            return line

    monkeypatch.setattr(session, "choose", watched)
    monkeypatch.setattr(sys, "stdin", Watching("E5\nC3\n"))
    assert main(["play", "--seed", "4", "--level", "3"]) == 0
    assert [what for what, _ in happened] == ["chooses", "typed", "chooses", "typed", "chooses", "typed"]
    # What it is given is the board that both see; the squares typed so far are on it, the next one is not.
    boards = [wts.Position(text).state.black for what, text in happened if what == "chooses"]
    assert boards == [(), (40,), (20, 40)]


def test_the_choice_does_not_depend_on_what_is_typed(play: Any) -> None:
    first = {SHOWN.findall(play(name, "--seed", "9", "--level", "2").out)[0][0] for name in ("A1", "E4", "I9", "E6")}
    assert len(first) == 1
    assert len({SHOWN.findall(play("A1", "--seed", str(seed)).out)[0][0] for seed in range(8)}) > 3


def test_undo_shows_the_sealed_square_and_draws_anew(play: Any) -> None:
    done = play("E5; undo; E5; undo; E5; undo; E5; undo; E5; undo; E5", "--seed", "1", "--level", "1")
    assert done.out.count("Turn 1 is taken back.") == 5
    squares = [square for square, _ in SHOWN.findall(done.out)]
    assert len(squares) == 6
    assert len(set(squares)) > 1
    unplayed = re.findall(r"\(The sealed square was ([A-I][1-9]), salt ([0-9a-f]{32})\.\)", done.out)
    seals = {hashlib.sha256(f"{square} {salt}".encode()).hexdigest() for square, salt in unplayed}
    assert len(unplayed) == 5
    assert seals <= set(SEAL.findall(done.out))


# ---------------------------------------------------------------- the course of a game


def test_a_turn_is_told_in_words(play: Any) -> None:
    done = play("b5; e5; d4", "9/2w4b1/6w2/5w3/2ww5/9/7e1/6b2/9 H3", "--hot-seat")
    assert "Turn 1: B5 E5" in done.out
    done = play("E5; B7; quit", "9/2w4b1/6w2/5w3/1bww5/9/7e1/6b2/9 H3", "--hot-seat")
    assert "Black's E5 captures" in done.out
    assert "hatches into a black turtle" in done.out
    assert "Eggs, oldest first" in done.out.partition("Turn 1")[0]


def test_a_collision_is_told_and_the_egg_listed(play: Any) -> None:
    done = play("E5; E5; eggs", "--hot-seat")
    assert "Both players chose E5: an egg is laid there." in done.out
    assert done.out.count("Eggs, oldest first: E5.") == 2


def test_what_is_wrong_is_said_and_asked_again(play: Any) -> None:
    done = play("E5; zz; E5; E10; D4", "--seed", "1", "--level", "2")
    assert "'zz' is no square from A1 to I9" in done.out
    assert "E5 is not empty." in done.out
    assert "'E10' is no square" in done.out
    assert len(SHOWN.findall(done.out)) == 2
    # What was sealed stays sealed meanwhile.
    assert len(SEAL.findall(done.out)) == 3


def test_white_can_be_played_and_the_engine_is_black_then(play: Any) -> None:
    done = play("E5", "--colour", "white", "--seed", "1")
    assert "You are White" in done.out
    engine = SHOWN.findall(done.out)[0][0]
    assert f"Turn 1: {engine} E5" in done.out


def test_a_won_game_ends_and_is_praised(play: Any) -> None:
    for seed in range(10):
        done = play("B5; undo; B5", "9/9/9/9/2bbbb3/9/9/9/w1w1w4 -", "--seed", str(seed), "--level", "2")
        if "Black wins" in done.out:
            break
    assert "You beat level 2. The next one waits: wts-fast play --level 3" in done.out
    assert "game over (" in done.out
    assert done.status == 0


def test_a_game_that_is_over_takes_commands_only(play: Any) -> None:
    done = play("A1; show; eggs; resign; hint; quit", OVER)
    assert done.out.count("The game is over.") == 3
    assert "Seal" not in done.out


def test_giving_up_is_asked_twice(play: Any, tmp_path: Path) -> None:
    path = tmp_path / "game.wts"
    done = play("E5; resign; no; D4; resign; yes; quit", "--save", str(path), "--seed", "2")
    assert "Black gives up: 0-1." in done.out
    game = wts.Game.read(path)
    assert (game.result, len(game)) == ("0-1", 2)
    back = play("undo; quit", str(path))
    assert "Seal" in back.out


def test_hints_are_off_until_they_are_switched_on(play: Any) -> None:
    done = play("hint; hint on; hint; hint off; hint; hint maybe", "--seed", "1")
    assert done.out.count("Hints are off") == 3
    assert done.out.count("The full search mixes for Black:") == 1
    assert "may no hint" not in done.out


def test_every_command_is_in_the_help(play: Any) -> None:
    done = play("?")
    for word in ("show", "eggs", "hint", "undo", "seal", "record", "save", "resign", "quit"):
        assert f"\n{word}" in done.out
    for lang in PHRASES:
        for command in set(COMMANDS.values()) - {"help"}:
            words = [word for word, meaning in COMMANDS.items() if meaning == command]
            assert any(re.search(rf"^{word}\b", PHRASES[lang]["help"], re.MULTILINE) for word in words), (lang, command)


def test_words_behind_a_command_are_refused(play: Any) -> None:
    done = play("E5; undo it; quit now", "--seed", "1")
    assert done.out.count("nothing is expected behind that word") == 2
    assert len(SHOWN.findall(done.out)) == 1


# ---------------------------------------------------------------- keeping the game


def test_the_end_of_the_input_prints_the_game(play: Any) -> None:
    done = play("E5; C3", "--seed", "5")
    text = done.out[done.out.index("[Black") :]
    (record,) = wts_records(text)
    assert len(record.turns) == 2
    assert record.tags["White"] == "wts_fast level 1"
    assert "wts-fast play game.wts" in done.out


def wts_records(text: str) -> list[Any]:
    from wts_fast.record import read_games

    return list(read_games(io.BytesIO(text.encode())))


def test_a_saved_game_is_gone_on_with(play: Any, tmp_path: Path) -> None:
    path = tmp_path / "my game.wts"
    done = play(f"E5; C3; save {path}; quit", "--level", "4", "--colour", "white", "--seed", "3")
    assert f"Saved: {path}" in done.out
    assert "[Black" not in done.out  # it is in a file
    assert f"To go on: wts-fast play {path}" in done.out
    again = play("quit", str(path))
    assert "You are White, Swimmer (level 4) is Black." in again.out
    assert "The game goes on after turn 2." in again.out
    longer = play("A9; save; quit", str(path), "--level", "6")
    assert "Navigator (level 6) is Black" in longer.out
    assert len(wts.Game.read(path)) == 3
    earlier = play("quit", f"{path}@1")
    assert "after turn 1." in earlier.out
    assert len(wts.Game.read(path)) == 3


def test_names_in_a_record_stay(play: Any, tmp_path: Path) -> None:
    path = tmp_path / "game.wts"
    wts.Game(tags={"Black": "Ada", "White": "Bo", "Event": "Tea"}).write(path)
    play("E5; D4; save; quit", str(path), "--hot-seat")
    assert dict(wts.Game.read(path).tags)["Black"] == "Ada"
    play("C3; save; quit", str(path), "--colour", "black", "--level", "2", "--seed", "1")
    tags = wts.Game.read(path).tags
    assert (tags["Black"], tags["White"], tags["Event"]) == ("Ada", "wts_fast level 2", "Tea")


def test_a_game_of_a_match_is_played_on_as_a_level(play: Any, tmp_path: Path) -> None:
    path = tmp_path / "match.wts"
    wts.Game(tags={"Black": "level:3", "White": "random"}).write(path)
    assert "You are White, Snorkeller (level 3) is Black." in play("quit", str(path)).out


def test_with_save_the_file_holds_every_turn(play: Any, tmp_path: Path) -> None:
    path = tmp_path / "game.wts"
    play("E5; C3; undo; D4; G7", "--save", str(path), "--seed", "3")
    assert [black for black, _ in wts.Game.read(path).turns] == [parse_square(s) for s in ("E5", "D4", "G7")]


def test_a_place_that_cannot_be_written_costs_nothing(play: Any, tmp_path: Path) -> None:
    done = play(f"E5; save {tmp_path}/none/game.wts; save {tmp_path}; C3", "--seed", "1")
    assert done.out.count("Not saved: ") == 2
    assert len(SHOWN.findall(done.out)) == 2
    early = play("E5", "--save", str(tmp_path / "none" / "game.wts"))
    assert (early.status, early.out) == (2, "")
    assert "the folder is not there" in early.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--level", "0"],
        ["--level", "9"],
        ["--level", "2.0"],
        ["--colour", "green"],
        ["--seed", "-1"],
        ["--hot-seat", "--level", "2"],
        ["--hot-seat", "--colour", "white"],
        ["--tutorial", "--level", "1"],
        ["--tutorial", "start"],
        ["--lang", "fr"],
        ["-"],
        ["missing.wts"],
        ["9/9/9 -"],
        ["start", "start"],
    ],
)
def test_bad_usage_is_one_line_and_status_2(arguments: list[str], play: Any) -> None:
    done = play("", *arguments)
    assert done.status == 2
    assert done.out == ""
    assert len(done.err.splitlines()) == 1


def test_several_games_or_a_turn_too_far_are_refused(play: Any, tmp_path: Path) -> None:
    path = tmp_path / "two.wts"
    text = str(wts.Game())
    path.write_text(text + "\n" + text)
    assert play("", str(path)).status == 2
    path.write_text(text)
    assert play("", f"{path}@1").status == 2
    assert play("", f"{path}@x").status == 2
    assert play("", str(path)).status == 0


def test_the_tutorial_is_a_part_of_it(play: Any) -> None:
    done = play("", "--tutorial", "--lang", "en")
    assert done.status == 0
    assert "exercises" in done.out


# ---------------------------------------------------------------- languages


def test_both_languages_say_the_same_things() -> None:
    fields = {
        lang: {
            name: {field for _, field, _, _ in string.Formatter().parse(text) if field} for name, text in said.items()
        }
        for lang, said in PHRASES.items()
    }
    assert fields["en"] == fields["de"]


@pytest.mark.parametrize(
    ("settings", "german"),
    [
        ({"LANG": "de_DE.UTF-8"}, True),
        ({"LANG": "en_GB.UTF-8"}, False),
        ({"LC_ALL": "de_AT", "LANG": "en_US"}, True),
        ({"LC_ALL": "C", "LANG": "de_DE"}, False),
        ({"LC_MESSAGES": "de", "LANG": "en"}, True),
        ({}, False),
    ],
)
def test_the_locale_chooses_the_language(settings: dict[str, str], german: bool, play: Any, monkeypatch: Any) -> None:
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    assert ("Du bist Schwarz" in play("ende").out) is german


def test_german_is_german_throughout(play: Any) -> None:
    lines = "E5; ?; eier; C3; tipp; tipp an; tipp; zurück; siegel; brett; x; E5; D6; aufgeben; ja; ende"
    done = play(lines, "--lang", "de", "--seed", "8", "--level", "2")
    english = re.findall(r"\b(turn|Turn|lands|egg|Eggs|chosen|wins|the|is|are)\b", done.out)
    assert english == []
    assert "landet auf" in done.out
    assert "Zug 1, Schwarz:" in done.out


def test_umlauts_are_spelt_out_where_there_are_none() -> None:
    say = Phrases("de", ascii=True)
    assert all(say(name, **fields(text)).isascii() for name, text in PHRASES["de"].items())


def fields(text: str) -> dict[str, str]:
    return {field: "x" for _, field, _, _ in string.Formatter().parse(text) if field}


def test_a_terminal_without_umlauts_is_no_trouble(tmp_path: Path) -> None:
    done = piped("E5\n?\nende\n", "--lang", "de", "--seed", "1", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "zurueck" in done.stdout
    assert "\\x" not in done.stdout


# ---------------------------------------------------------------- whatever is typed


def piped(typed: str | bytes, *arguments: str, cwd: Path, **changes: str) -> subprocess.CompletedProcess[str]:
    data = typed.encode() if isinstance(typed, str) else typed
    done = subprocess.run(
        [sys.executable, "-m", "wts_fast", "play", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONSAFEPATH": "1", "LC_ALL": "C.UTF-8", **changes},
        input=data,
        capture_output=True,
        timeout=120,
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize("seed", range(6))
def test_random_lines_never_hurt(seed: int, play: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    rng = random.Random(seed)
    squares = [f"{file}{rank}" for file in "ABCDEFGHI" for rank in range(1, 10)]
    words = [
        *COMMANDS,
        "hint on",
        "save x.wts",
        "save",
        "yes",
        "ja",
        "\x00",
        "é" * 500,
        "E5 E5",
        "９",
        "",
        "  e5  ",
        "@",
    ]
    words = [word for word in words if COMMANDS.get(word) != "quit"]
    lines = [rng.choice(squares if rng.random() < 0.6 else words) for _ in range(60)]
    setting = rng.choice([["--hot-seat"], ["--level", "1"], ["--level", "3", "--lang", "de"], ["--colour", "white"]])
    monkeypatch.setattr(session, "_HINT_NODES", 50)
    done = play("; ".join(lines), "--seed", str(seed), *setting)
    assert done.status == 0
    assert done.err == ""


def test_bytes_that_are_no_text_and_endless_lines_are_no_squares(tmp_path: Path) -> None:
    typed = b"\xff\xfe\n\x00\x00\n" + b"A" * 200_000 + b"\nE5\r\nD4"
    done = piped(typed, "--seed", "1", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("is no square") == 3
    assert len(SHOWN.findall(done.stdout)) == 2


def test_a_reader_that_goes_away_ends_it_quietly(tmp_path: Path) -> None:
    command = f"yes E5 | {sys.executable} -m wts_fast play --hot-seat | head -1"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.stderr == ""


# ---------------------------------------------------------------- at a real terminal


class Terminal:
    """The command at a pseudo-terminal, typed at as by a person."""

    def __init__(self, *arguments: str, cwd: Path) -> None:
        self.keyboard, screen = pty.openpty()
        self.seen = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "wts_fast", "play", *arguments],
            cwd=cwd,
            env={**os.environ, "PYTHONSAFEPATH": "1", "TERM": "dumb", "LC_ALL": "C.UTF-8"},
            stdin=screen,
            stdout=screen,
            stderr=screen,
            close_fds=True,
        )
        os.close(screen)

    def until(self, text: str, seconds: float = 60.0) -> str:
        """Read until a text is there; return all since the last call."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            left = end - time.monotonic()
            assert left > 0, f"{text!r} did not come, but {self.seen[-2000:]!r}"
            if select.select([self.keyboard], [], [], left)[0]:
                try:
                    data = os.read(self.keyboard, 1 << 16)
                except OSError:  # how Linux says that the other end is closed
                    data = b""
                assert data, f"{text!r} did not come, but {self.seen[-2000:]!r}"
                self.seen += data.decode()
        head, _, self.seen = self.seen.partition(text)
        return head + text

    def type(self, line: str) -> None:
        os.write(self.keyboard, line.encode() + b"\n")

    @property
    def echoes(self) -> bool:
        return bool(termios.tcgetattr(self.keyboard)[3] & termios.ECHO)

    def close(self) -> int:
        """Read the rest and return the status."""
        while True:
            try:
                data = os.read(self.keyboard, 1 << 16)
            except OSError:
                break
            if not data:
                break
            self.seen += data.decode()
        status = self.process.wait(30)
        os.close(self.keyboard)
        return status


@pytest.fixture
def terminal(tmp_path: Path) -> Any:
    opened: list[Terminal] = []

    def start(*arguments: str) -> Terminal:
        opened.append(Terminal(*arguments, cwd=tmp_path))
        return opened[-1]

    yield start
    for one in opened:
        if one.process.poll() is None:
            one.process.kill()
            one.process.wait()


def test_the_first_entry_is_hidden_at_a_terminal(terminal: Any) -> None:
    screen = terminal("--hot-seat")
    screen.until("turn 1, Black (hidden): ")
    assert not screen.echoes
    screen.type("C7")
    assert "C7" not in screen.until("turn 1, White: ")
    screen.type("G3")
    shown = screen.until("turn 2, Black (hidden): ")
    assert "G3" in shown.partition("Turn 1: C7 G3")[0]
    assert not screen.echoes
    screen.type("zz")
    assert "zz" not in screen.until("turn 2, Black (hidden): ")
    screen.type("quit")
    assert screen.close() == 0
    assert "1. C7 G3 *" in screen.seen


def test_ctrl_c_keeps_the_game_and_gives_the_terminal_back(terminal: Any) -> None:
    screen = terminal("--hot-seat")
    for prompt, square in (("turn 1, Black (hidden): ", "C7"), ("turn 1, White: ", "G3")):
        screen.until(prompt)
        screen.type(square)
    screen.until("turn 2, Black (hidden): ")
    assert not screen.echoes
    time.sleep(0.3)  # a signal between the prompt and the wait for keys is seen at the next key only
    screen.process.send_signal(signal.SIGINT)
    screen.until("wts-fast play game.wts")
    assert screen.echoes
    assert screen.close() == 130
    assert "1. C7 G3 *" in screen.seen
    assert "Traceback" not in screen.seen


def test_ctrl_c_against_a_level_names_the_file_that_holds_the_game(terminal: Any, tmp_path: Path) -> None:
    screen = terminal("--save", "game.wts", "--seed", "2")
    screen.until("turn 1, Black: ")
    screen.type("E5")
    screen.until("turn 2, Black: ")
    time.sleep(0.3)  # a signal between the prompt and the wait for keys is seen at the next key only
    screen.process.send_signal(signal.SIGINT)
    screen.until("To go on: wts-fast play game.wts")
    assert screen.close() == 130
    assert len(wts.Game.read(tmp_path / "game.wts")) == 1


def test_phrases_are_found_by_name() -> None:
    with pytest.raises(KeyError):
        phrases.Phrases("en")("nothing")
