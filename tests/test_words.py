"""What is said about a result is so: pure moves, guesses, balanced openings, proofs; and how the command shows it."""

from __future__ import annotations

import argparse
import builtins
import io
import json
import re
import sys

import numpy as np
import pytest

from wts_fast._kernel import Position
from wts_fast.analysis import analyze
from wts_fast.cli import main, report
from wts_fast.squares import NUM_SQUARES, parse_square
from wts_fast.threats import threats
from wts_fast.words import _TEXTS, LANGUAGES, Result, words

FOUR = "9/9/9/9/bbbb5/9/9/9/8w -"  # one square completes the row
OPEN_FOUR = "9/9/9/9/2bbbb3/9/9/9/w1w1w4 -"  # two do
START = "9/9/9/9/9/9/9/9/9 -"


def mix(**parts):
    strategy = np.zeros(NUM_SQUARES)
    for name, part in parts.items():
        strategy[parse_square(name)] = part
    return strategy


def said(text, black, white, value=0.0, lower=-1.0, upper=1.0, exploitability=0.0):
    position = Position(text)
    return " ".join(words(Result(position, black, white, value, lower, upper, exploitability), threats(position)))


def test_a_square_for_both_is_said_with_its_reason():
    text = said(FOUR, mix(E5=1), mix(E5=1), 0.5, 0.5, 0.5)
    assert "E5 completes a row for Black; White can stop it on E5." in text
    assert "E5 for both: no other square gains. Black would win there, so White must be there too." in text
    assert "Proved: Black's score is 75.0 %" in text
    assert "estimate" not in text


def test_what_is_not_proved_is_called_an_estimate():
    assert "E5 for both: no other square gains, by estimate." in said(FOUR, mix(E5=1), mix(E5=1), 0.5)
    assert "by estimate" in said(START, mix(E4=1), mix(E6=1), 0.3)
    assert "Proved" not in said(START, mix(E4=1), mix(E6=1), 0.3)


def test_two_squares_one_of_which_can_be_stopped_are_a_guess():
    half = mix(B5=0.5, G5=0.5)
    text = said(OPEN_FOUR, half, half, 0.75, 0.0, 1.0)
    assert "Two squares complete a row for Black, B5 and G5; White can stop one of them." in text
    assert "A 50:50 guess: B5 or G5, for both." in text
    assert "The chance of a win in this turn: 50 % for Black." in text
    assert "Proved: Black can score at least 50.0 %, where a draw counts half." in text


def test_both_rows_stopped_by_one_capture_are_said_so():
    text = said("9/9/1w7/2b6/2bbbb3/9/9/9/9 -", mix(B5=1), mix(E4=1))
    assert "Two squares complete a row for Black, B5 and G5; White can stop both from E4." in text


def test_the_colours_are_told_alike():
    half = mix(B5=0.5, G5=0.5)
    black = said(OPEN_FOUR, half, half, 0.75, 0.0, 1.0)
    white = said(str(Position(OPEN_FOUR).transform("identity", swap_colours=True)), half, half, -0.75, -1.0, 0.0)
    exchange = {"Black": "White", "White": "Black"}
    assert white.replace(".", " ").replace(",", " ").split() == [
        exchange.get(word, word) for word in black.replace(".", " ").replace(",", " ").split()
    ]


@pytest.mark.parametrize(
    ("lower", "upper", "sentence"),
    [
        (1.0, 1.0, "Proved: a win for Black."),
        (-1.0, -1.0, "Proved: a win for White."),
        (0.0, 0.0, "Proved: even chances."),
        (-1.0, 1 / 3, "Proved: White can score at least 33.3 %"),
        (0.19999, 0.9, "Proved: Black can score at least 59.9 % and White can score at least 5.0 %"),
    ],
)
def test_proofs_are_said_and_never_rounded_up(lower, upper, sentence):
    assert sentence in said(START, mix(E5=1), mix(E5=1), (lower + upper) / 2, lower, upper)


def test_a_balanced_opening_is_called_one():
    even = np.full(NUM_SQUARES, 1 / NUM_SQUARES)
    text = said(START, even, even)
    assert "Black mixes 73 squares, White 73, leaving out those that are rarely played." in text
    assert "A balanced opening: neither side is ahead, by estimate." in text


def test_a_last_square_is_the_only_one():
    full = "bbwwbbwwb/wwbbwwbbw/bbwwbbwwb/wwbbwwbbw/bbww1bwwb/wwbbwwbbw/bbwwbbwwb/wwbbwwbbw/bbwwbbwwb -"
    assert said(full, mix(E5=1), mix(E5=1), 0, 0, 0).startswith("E5 is the only square: both must name it.")


# ---------------------------------------------------------------- the command


@pytest.mark.parametrize("method", ["flat", "tree"])
def test_command_shows_threats_turns_and_words(method, capsys):
    assert main(["analyze", OPEN_FOUR, "--method", method, "--nodes", "3000", "--seed", "1", "--ascii"]) == 0
    out = capsys.readouterr().out
    assert out.isascii()
    assert max(map(len, out.splitlines())) <= 96
    assert "Likeliest turns" in out
    assert "B5 G5" in out
    assert "Completes a row  Black: B5 (stopped on B5); G5 (stopped on G5)" in out
    assert f"method {method}" in out
    assert ("A 50:50 guess" in out) == (method == "tree")  # random play behind the turn makes B5 look better
    assert ("proved from +0.000 to +1.000" in out) == (method == "tree")
    assert ("+/-" in out) == (method == "flat")


def test_command_shows_captures_and_pairs_in_danger(capsys):
    assert main(["analyze", "9/2w4b1/6w2/5w3/1bww5/9/7e1/6b2/9 H3", "--nodes", "100", "--seed", "1"]) == 0
    out = capsys.readouterr().out
    assert "Captures         Black: E5 takes F6+G7, C5+D5 and hatches H3" in out
    assert "In danger        White: C5+D5 from E5; F6+G7 from E5" in out


def test_json_holds_threats_and_words(capsys):
    assert main(["analyze", OPEN_FOUR, "--nodes", "100", "--seed", "1", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [row["square"] for row in data["threats"]["black"]["completions"]] == ["B5", "G5"]
    assert any("Two squares complete a row" in sentence for sentence in data["words"])


def test_command_writes_a_png(tmp_path, capsys):
    target = tmp_path / "both.png"
    assert main(["analyze", OPEN_FOUR, "--nodes", "100", "--seed", "1", "--png", str(target)]) == 0
    data = target.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert int.from_bytes(data[16:20], "big") == 1600
    again = tmp_path / "again.png"
    assert main(["analyze", OPEN_FOUR, "--nodes", "100", "--seed", "1", "--png", str(again)]) == 0
    assert again.read_bytes() == data
    assert main(["analyze", START, "--nodes", "1", "--png", str(tmp_path / "no" / "both.png")]) == 2
    assert "both.png" in capsys.readouterr().err


def test_a_png_without_matplotlib_is_one_line_before_any_work(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["analyze", START, "--seconds", "600", "--png", str(tmp_path / "x.png")]) == 2
    err = capsys.readouterr().err
    assert err == "wts-fast analyze: png: a PNG needs matplotlib: pip install 'wts_fast[png]'\n"
    assert not (tmp_path / "x.png").exists()


def test_matplotlib_is_not_asked_for_without_a_png(capsys, monkeypatch):
    real = builtins.__import__

    def guarded(name, *args, **kwargs):
        assert not name.startswith("matplotlib")
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", guarded)
    assert main(["analyze", START, "--nodes", "1"]) == 0


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


def test_a_terminal_sees_the_maps_while_the_search_runs(monkeypatch, capsys):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("LINES", "50")
    assert main(["analyze", START, "--method", "tree", "--seconds", "0.8", "--color", "never"]) == 0
    shown = stream.getvalue()
    assert "Black (percent)" in shown
    assert "nodes" in shown
    assert "█" in shown
    out = capsys.readouterr().out
    assert out.count("Black (percent)") == 1
    assert "█" not in out


def test_a_pipe_sees_nothing_while_the_search_runs(capfd):
    assert main(["analyze", START, "--seconds", "0.6"]) == 0
    assert capfd.readouterr().err == ""


def test_the_view_ends_with_an_error_too(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())

    def fail():
        with report.live(str) as show:
            show("x")
            raise ValueError("halfway")

    with pytest.raises(ValueError, match="halfway"):
        fail()
    assert "\x1b[?25h" in sys.stderr.getvalue()  # the cursor is back


def test_a_search_without_a_tree_gives_single_turns():
    found = analyze(Position(OPEN_FOUR), method="flat", nodes=3000, seed=1)
    lines = report.likeliest(found, 3)
    assert [len(line.turns) for line in lines] == [1, 1, 1]
    assert [line.probability for line in lines] == sorted((line.probability for line in lines), reverse=True)
    joint = np.outer(found.black, found.white)
    assert lines[0].probability == pytest.approx(joint.max())


def test_style_follows_standard_error(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    args = argparse.Namespace(color="always", ascii=False)
    assert report.live_style(args) == {"colour": True, "ascii": False}


# ---------------------------------------------------------------- the same for solve

SMALL = "wwbwwwwbb/wbwwb1bbb/bbwbbwbwb/bbbbwbwww/wwbbwbwbb/bbwwbwwbb/wwbw1wbwb/ebwwbbwbw/bbw1wwwwb A2"


def test_solve_shows_threats_words_and_pictures(tmp_path, capsys):
    target = tmp_path / "both.png"
    assert main(["solve", SMALL, "--ascii", "--png", str(target), "--svg", str(tmp_path / "both.svg")]) == 0
    out = capsys.readouterr().out
    assert out.isascii()
    assert "-0.125000000, exact" in out
    assert "White is ahead with a score of 56 %." in out
    assert "Proved: Black's score is 43.8 %, where a draw counts half." in " ".join(out.split())
    assert "estimate" not in out
    assert target.read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "both.svg").read_text(encoding="utf-8").startswith("<svg")


def test_solve_says_nothing_of_mixtures_that_are_far_from_settled(capsys):
    assert main(["solve", OPEN_FOUR, "--nodes", "3", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["exact"] is False
    assert [row["square"] for row in data["threats"]["black"]["completions"]] == ["B5", "G5"]
    text = " ".join(data["words"])
    assert "Two squares complete a row for Black" in text
    assert "Proved: Black can score at least" in text
    assert "ahead" not in text
    assert "mixtures" not in text


def test_a_proof_that_needs_a_ruling_says_so():
    position = Position(START)
    result = Result(position, mix(E5=1), mix(E5=1), 0.0, 0.0, 0.0, 0.0, needs_r25=True)
    assert words(result, threats(position))[-1] == "This takes play without end for a draw (R25)."


def test_solve_without_matplotlib_is_one_line_before_any_work(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["solve", START, "--png", "x.png"]) == 2
    assert capsys.readouterr().err.startswith("wts-fast solve: png: a PNG needs matplotlib")


def test_german_says_the_same():
    half = mix(B5=0.5, G5=0.5)
    position = Position(OPEN_FOUR)
    result = Result(position, half, half, 0.75, 0.0, 1.0, 0.0)
    english, german = (words(result, threats(position), lang) for lang in LANGUAGES)
    assert len(english) == len(german)
    assert german == (
        "Zwei Felder vollenden eine Reihe für Schwarz, B5 und G5; Weiß kann eines davon verhindern.",
        "Ein Ratespiel 50:50: B5 oder G5, für beide.",
        "Schwarz liegt mit einer Erwartung von 88 % vorn, nach Schätzung.",
        "Die Aussicht auf einen Sieg in diesem Zug: 50 % für Schwarz.",
        "Bewiesen: Schwarz kann mindestens 50,0 % erreichen, wobei ein Remis halb zählt.",
    )


def test_every_sentence_has_the_same_blanks_in_every_language():
    assert set(_TEXTS) == set(LANGUAGES)
    for name, english in _TEXTS["en"].items():
        assert set(re.findall(r"{(\w+)}", english)) == set(re.findall(r"{(\w+)}", _TEXTS["de"][name])), name
    assert _TEXTS["en"].keys() == _TEXTS["de"].keys()
