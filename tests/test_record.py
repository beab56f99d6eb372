"""Records: what is written is read again; what is damaged is an error with its place, and games stay apart."""

import errno
import io
import json
import os
import random
import subprocess
import sys
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wts_fast._kernel import Position
from wts_fast.cli import main
from wts_fast.errors import ParseError, WtsError
from wts_fast.note import Note
from wts_fast.record import MAX_LINE, Record, check_file, format_record, read_games, write_games

HEAD = '[Black "Ada"]\n[White "Bo"]\n[Date "2026.11.30"]\n[Result "*"]\n\n'
GOOD = HEAD + "1. E5 H5 {a quiet turn} 2. D4 d4 *\n"


def read(text):
    return list(read_games(io.BytesIO(text.encode("utf-8") if isinstance(text, str) else text)))


def findings(text):
    return [f.code for f in check_file(io.BytesIO(text.encode("utf-8") if isinstance(text, str) else text))[1]]


def random_record(rng):
    """Play a random game with random notes."""
    position = Position()
    if rng.random() < 0.3:
        position = Position("9/9/9/9/3be3w/9/2e6/9/9 E5,C3")
    record = Record({"Black": 'Ä"\\', "White": "[Bo]", "Date": "2026.11.30", "Event": "x; {y}"}, position)
    for turn in range(rng.randrange(40)):
        if rng.random() < 0.3:
            listed = dict.fromkeys(rng.sample(position.legal, min(2, len(position.legal))), 0.25)
            note = Note(rng.choice(["", "good  move [sic]", "1. A1 1-0"]), rng.choice([None, 0.3125, -1.0]), listed)
            if note:
                record.notes[turn] = note
        if not position.legal:
            break
        record.turns.append((rng.choice(position.legal), rng.choice(position.legal)))
        position = position.play(*record.turns[-1])
    record.notes = {turn: note for turn, note in record.notes.items() if turn <= len(record.turns)}
    record.tags["Result"] = position.outcome.result if position.outcome else rng.choice(["*", "1-0", "0-1"])
    return record


def same(one, two):
    tags = {name: value for name, value in two.tags.items() if name != "Position"}
    return (one.tags, one.start, one.turns, one.notes) == (tags, two.start, two.turns, two.notes)


def test_a_record_is_read():
    (record,) = read(GOOD)
    assert record.tags == {"Black": "Ada", "White": "Bo", "Date": "2026.11.30", "Result": "*"}
    assert record.turns == [(40, 43), (30, 30)]
    assert record.notes == {1: Note("a quiet turn")}
    assert str(record.positions[-1]) == "9/9/9/9/4b2w1/3e5/9/9/9 D4"


@pytest.mark.parametrize("seed", range(40))
def test_what_is_written_is_read_again(seed):
    records = [random_record(random.Random(f"{seed}-{game}")) for game in range(3)]
    text = "\n".join(format_record(record) for record in records)
    again = read(text)
    assert len(again) == 3
    assert all(same(one, two) for one, two in zip(records, again, strict=True))
    assert "\n".join(format_record(record) for record in again) == text
    assert findings(text) == []


@settings(deadline=None, max_examples=100)
@given(st.text(), st.text())
def test_any_words_survive_or_are_refused(tag, comment):
    try:
        note = Note(comment)
        text = format_record(
            Record({"Black": tag, "White": "", "Date": "", "Result": "*"}, notes={0: note} if note else {})
        )
    except WtsError:
        return
    (record,) = read(text)
    assert record.tags["Black"] == tag
    assert record.notes.get(0, Note()) == note


def test_value_and_strategies_are_kept():
    (record,) = read(HEAD + "{[%value 0.31] even [%black E5:0.61,D4:0.39] [%white A1:1]} 1. E5 H5 *\n")
    assert record.notes == {0: Note("even", 0.31, {40: 0.61, 30: 0.39}, {0: 1.0})}
    assert same(record, read(format_record(record))[0])


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("", "no-games", 1, 1),
        ("\n\n", "no-games", 2, 1),
        (GOOD.replace('"Ada"', "Ada"), "tag", 1, 1),
        (GOOD.replace('[White "Bo"]\n', ""), "tag-missing", None, 1),
        (GOOD.replace("White", "Black"), "tag-twice", 2, 2),
        (GOOD.replace('"*"', '"2-0"'), "result", 4, 10),
        (GOOD.replace('"*"', '"1-0"'), "result-differs", 6, 34),
        (GOOD.replace("2. D4", "3. D4"), "turn-number", 6, 25),
        (GOOD.replace("2. D4", "D4"), "turn-number", 6, 25),
        (GOOD.replace("D4 d4", "D4"), "turn-half", 6, 28),
        (GOOD.replace("D4 d4", ""), "turn-half", 6, 25),
        (GOOD.replace("D4 d4", "D4 E5"), "occupied", 6, 31),
        (GOOD.replace("D4 d4", "D4 J4"), "token", 6, 31),
        (GOOD.replace("D4 d4", "D4 Ｄ4"), "token", 6, 31),
        (GOOD.replace("D4 d4", "D4,d4"), "token", 6, 28),
        (GOOD.replace("D4 d4", "D4\n\n"), "turn-half", 6, 28),
        (GOOD.replace("2. D4", "02. D4"), "token", 6, 25),
        (GOOD.replace("D4 d4", "D4 d4 C3"), "turn-number", 6, 34),
        (GOOD.replace("2. D4 d4", "2. E5\nD4"), "occupied", 6, 28),
        (GOOD.replace("2. D4 d4", "2. D4\nE5"), "occupied", 7, 1),
        ("1. E5 H5 *\n", "stray", 1, 1),
        (GOOD + "a word\n", "stray", 7, 1),
        (GOOD + "\ufeff" + GOOD, "stray", 7, 1),
        (GOOD.replace("turn}", "turn"), "comment-open", 6, 10),
        (GOOD.replace("{a", "{a {"), "comment-nested", 6, 10),
        (GOOD.replace("{a", "a"), "token", 6, 10),
        (GOOD.replace("turn}", "turn}}"), "brace", 6, 24),
        (GOOD.replace(" *\n", "\n"), "result-missing", 6, 1),
        (GOOD.replace(" *\n", " * 1\n"), "after-result", 6, 35),
        (GOOD.replace("a quiet turn", "[%value 2]"), "range", 6, 10),
        (GOOD.replace("a quiet turn", "[%value NaN]"), "annotation", 6, 10),
        (GOOD.replace("a quiet turn", "[%value]"), "annotation", 6, 10),
        (GOOD.replace("a quiet turn", "[%black E5:0.5]"), "annotation", 6, 10),
        (GOOD.replace("a quiet turn", "[%black A1:0.5,A1:0.1]"), "annotation", 6, 10),
        (GOOD.replace("a quiet turn", "[%white A1:0.9,A2:0.9]"), "strategy", 6, 10),
        (HEAD.replace("[Date", '[Position "9/9 -"]\n[Date') + "*\n", "ranks-few", 3, 15),
        ('[Position "9/9/9/9/9/9/9/9/bbbbb4 -"]\n' + HEAD + "1. A9 B9 *\n", "game-over", 7, 4),
        ('[Position "9/9/9/9/9/9/9/9/bbbbb4 -"]\n' + HEAD + "*\n", "result-board", 7, 1),
        (GOOD.encode().replace(b"Ada", b"Ad\xff"), "encoding", 1, 11),
        (GOOD.encode("utf-16"), "encoding", 1, 1),
        (b"\xef\xbb\xbf" + "[Bläck ".encode() + b"\xff", "encoding", 1, 8),
        (GOOD.replace("quiet", "qu\0et"), "control", 6, 15),
        (GOOD.replace("Ada", "A\x7f"), "control", 1, 10),
        (GOOD.replace("Ada", "A\x9b31m"), "control", 1, 10),
        (GOOD.replace("\n2", "\r2").replace(" {", "\r{"), "control", 6, 9),
    ],
)
def test_each_damage_has_a_code_and_a_place(text, code, line, column):
    with pytest.raises(ParseError) as caught:
        read(text)
    assert (caught.value.code, caught.value.column) == (code, column)
    assert line in (None, caught.value.line)
    assert code in findings(text)


def test_check_reports_every_finding_and_goes_on():
    text = GOOD + "\n" + GOOD.replace('[White "Bo"]\n', "").replace("D4 d4", "E5 J1") + "\n" + GOOD.replace("2.", "7.")
    assert findings(text) == ["tag-missing", "token", "turn-number"]
    assert check_file(io.BytesIO(text.encode()))[0] == 3


def test_an_unclosed_comment_does_not_swallow_the_next_game():
    text = GOOD.replace("turn}", "turn") + "\n" + GOOD
    with pytest.raises(ParseError, match="does not end"):
        read(text)
    assert check_file(io.BytesIO(text.encode()))[0] == 2


@pytest.mark.parametrize("seed", range(60))
def test_one_damaged_byte_never_merges_or_splits_games(seed):
    rng = random.Random(seed)
    games = [random_record(rng) for _ in range(3)]
    data = bytearray("\n".join(format_record(game) for game in games).encode())
    for _ in range(25):
        damaged = bytearray(data)
        damaged[rng.randrange(len(data))] = rng.choice(b'{}[]" \n1*-Aa0%:\\\x00\xff')
        try:
            again = read(bytes(damaged))
        except ParseError:
            continue
        assert len(again) == 3, f"seed {seed}"
        assert [len(game.turns) for game in again] == [len(game.turns) for game in games], f"seed {seed}"


def test_a_byte_order_mark_and_dos_line_ends_are_read():
    assert len(read("\ufeff" + GOOD.replace("\n", "\r\n"))) == 1


def test_a_huge_line_is_an_error_and_not_a_full_memory():
    with pytest.raises(ParseError) as caught:
        read("x" * (3 << 20))
    assert caught.value.code == "line-long"


def test_games_are_streamed():
    class Endless(io.RawIOBase):
        def __init__(self):
            self.left = b""

        def readable(self):
            return True

        def readinto(self, buffer):
            if not self.left:
                self.left = (GOOD + "\n").encode()
            n = min(len(buffer), len(self.left))
            buffer[:n], self.left = self.left[:n], self.left[n:]
            return n

    games = read_games(io.BufferedReader(Endless()))
    assert [len(next(games).turns) for _ in range(500)] == [2] * 500


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "games.wts"
    write_games(path, read(GOOD))
    before = path.read_bytes()
    for bad in (
        [],
        [Record({"Black": "A", "White": "B", "Date": ""})],
        [Record(read(GOOD)[0].tags, turns=[(0, 1), (0, 2)])],
    ):
        with pytest.raises(WtsError):
            write_games(path, bad)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["games.wts"]


def test_the_command_prints_places_and_returns_1(tmp_path, capsys):
    good, bad = tmp_path / "good.wts", tmp_path / "bad.wts"
    good.write_text(GOOD, encoding="utf-8")
    bad.write_text(GOOD.replace("D4 d4", "D4 E5"), encoding="utf-8")
    assert main(["check", str(good)]) == 0
    assert capsys.readouterr().out == f"{good}: 1 game, no findings\n"
    assert main(["check", str(good), str(bad)]) == 1
    assert f"{bad}:6:31: occupied: white: turn 2: E5 holds a black turtle\n" in capsys.readouterr().out
    assert main(["check", "--json", str(bad)]) == 1
    assert '"code": "occupied"' in capsys.readouterr().out
    assert main(["check", str(tmp_path / "missing.wts")]) == 2


# ---------------------------------------------------------------- one damage, one finding; nothing lost, nothing joined


def many_turns(turns):
    """A game of captures-free collisions: each turn lays an egg on a square of its own."""
    names = [f"{file}{rank}" for rank in range(1, 10) for file in "ABCDEFGHI"]
    return HEAD + " ".join(f"{n + 1}. {names[n]} {names[n]}" for n in range(turns)) + " *\n"


@pytest.mark.parametrize(
    ("old", "new", "codes"),
    [
        ("5. E1 E1 ", "", ["turn-number"]),
        ("5. E1 E1", "5. E1", ["turn-half"]),
        ("5. E1 E1", "5. E1 E1 E1", ["turn-number"]),
        ("5. E1 E1", "5. E1 Z1 {what} E1", ["token"]),
        ("5. E1 E1", "E1 E1", ["turn-number"]),
        ("5. E1 E1", "5 E1 E1", ["token"]),
        ("5. E1 E1", "5. A1 A1", ["occupied"]),
        ("5. E1 E1", "5. E1 E1 nonsense", ["token"]),
        ("5. E1 E1", "5. E1 E1 }", ["brace"]),
        ("5. E1 E1", "5. E1 E1 {", ["comment-open"]),
        ("[Result", '[Position "9/9"]\n[Result', ["ranks-few"]),
        (" *\n", "\n", ["result-missing"]),
        (" *\n", " *\nmore\n\n1. A1 A1\n", ["stray"]),
    ],
)
def test_one_damage_in_a_long_game_is_one_finding(old, new, codes):
    text = many_turns(60)
    assert text.count(old) == 1
    damaged = text.replace(old, new)
    assert findings(damaged) == codes
    assert findings(f"{GOOD}\n{damaged}\n{GOOD}") == codes
    assert check_file(io.BytesIO(f"{GOOD}\n{damaged}\n{GOOD}".encode()))[0] == 3


def test_turns_after_the_end_are_one_finding():
    text = '[Position "9/9/9/9/9/9/9/9/bbbbb4 -"]\n' + HEAD.replace("*", "1-0") + "1. A9 B9 2. C9 D9 1-0\n"
    assert findings(text) == ["game-over"]


def test_turns_from_an_unknown_start_are_not_judged():
    text = HEAD.replace("[Result", '[Position "9/9 -"]\n[Result') + "1. E5 E5 2. E5 H5 {[%black E5:1]} *\n"
    assert findings(text) == ["ranks-few"]


def test_a_control_character_is_one_finding():
    assert findings(GOOD.replace("quiet", "qu\x00et")) == ["control"]
    assert findings(GOOD.replace("Ada", "A\x1bda")) == ["control"]


def test_findings_stand_in_the_order_of_the_file():
    _, found = check_file(io.BytesIO((HEAD + "1. E5\n2. D4 D4 {\x01} x\n*\n" + HEAD.replace("*", "?")).encode()))
    places = [(finding.line, finding.column) for finding in found]
    assert len(places) > 3
    assert places == sorted(places)


@pytest.mark.parametrize("length", [MAX_LINE - 2, MAX_LINE - 1, MAX_LINE, 2 * MAX_LINE - 1, 2 * MAX_LINE])
def test_a_long_line_swallows_no_other(length):
    """The line's own end stands on every side of what is read at once."""
    comment = "{" + "x" * (length - 2) + "}"
    text = HEAD + comment + "\n1. E5 J5 *\n" + GOOD
    found = check_file(io.BytesIO(text.encode()))[1]
    too_long = length >= MAX_LINE
    assert [(finding.line, finding.code) for finding in found] == [(6, "line-long")] * too_long + [(7, "token")]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("before", ["", "Ä", "\U0001f422"])
def test_a_byte_that_is_no_utf_8_is_counted_in_the_file(mark, before):
    data = f'{mark}{GOOD}\n[Black "{before}'.encode()
    (found, *_) = [f for f in check_file(io.BytesIO(data + b'\xe9"]\n'))[1] if f.code == "encoding"]
    assert f"byte {len(data)} of the file" in found.reason
    assert (found.line, found.column) == (8, 9 + len(before))


def test_a_byte_in_the_first_line_is_counted_behind_the_mark():
    (found,) = [f for f in check_file(io.BytesIO(b"\xef\xbb\xbf[B\xff\n"))[1] if f.code == "encoding"]
    assert "byte 5 of the file" in found.reason
    assert (found.line, found.column) == (1, 3)


def test_a_text_stream_is_refused():
    with pytest.raises(WtsError, match="binary"):
        next(read_games(io.StringIO(GOOD)))


def damages(data, rng):
    """Small damages of every kind, at every kind of place."""
    odd = [
        b"",
        b"\n",
        b"*",
        b"{",
        b"}",
        b'"',
        b"[",
        b"]",
        b"\\",
        b" ",
        b"\n\n",
        b"\x00",
        b"\xff",
        b"1-0",
        b"\n*\n",
        b"9",
    ]
    for _ in range(60):
        at = rng.randrange(len(data))
        yield data[:at] + rng.choice(odd) + data[at + rng.randrange(9) :]
    for _ in range(20):
        # Where lines end and braces stand is where games could join.
        at = rng.choice([i for i, byte in enumerate(data) if byte in b'\n{}"[]*'])
        yield data[:at] + rng.choice(odd) + data[at + rng.randrange(4) :]


@pytest.mark.parametrize("seed", range(25))
def test_small_damages_never_merge_or_split_games(seed):
    rng = random.Random(seed)
    data = "\n".join(format_record(random_record(rng)) for _ in range(3)).encode()
    for damaged in damages(data, rng):
        count, found = check_file(io.BytesIO(damaged))
        try:
            whole, error = len(read(damaged)), None
        except ParseError as caught:
            whole, error = 3, (caught.line, caught.column, caught.code)
        # Reading and checking agree on whether anything is wrong, and on what.
        assert whole == 3, (seed, damaged)
        assert (error is None) == (not found), (seed, damaged)
        assert error in [None, *((f.line, f.column, f.code) for f in found)], (seed, damaged)
        assert found or count == 3, (seed, damaged)


@pytest.mark.parametrize("joint", ["", "\n", "\n\n"], ids=["glued", "line", "blank"])
def test_a_record_cut_off_anywhere_never_joins_the_next(joint):
    """What a crash leaves behind, and a second program writes after it."""
    first, second = format_record(random_record(random.Random(7))), GOOD
    assert "{" in first
    kept = []
    for cut in range(len(first) + 1):
        try:
            games = read(first[:cut] + joint + second)
        except ParseError:
            continue
        # Only a whole first game, or none of it, may pass.
        assert [len(game.turns) for game in games][-1] == 2, cut
        kept.append((cut, len(games)))
    assert kept[0] == (0, 1)
    assert all(games == 2 and cut >= len(first) - 1 for cut, games in kept[1:])
    assert len(kept) >= 2


def test_many_games_take_no_more_memory_than_one():
    class Games(io.RawIOBase):
        """5000 games, never all there at once."""

        left, chunk = 5000, b""

        def readable(self):
            return True

        def readinto(self, buffer):
            if not self.chunk and self.left:
                self.left, self.chunk = self.left - 1, (GOOD + "\n").encode()
            n = min(len(buffer), len(self.chunk))
            buffer[:n], self.chunk = self.chunk[:n], self.chunk[n:]
            return n

    tracemalloc.start()
    try:
        assert sum(1 for _ in read_games(io.BufferedReader(Games()))) == 5000
        assert tracemalloc.get_traced_memory()[1] < 500_000
    finally:
        tracemalloc.stop()


# ---------------------------------------------------------------- writing


@pytest.mark.parametrize(
    ("tags", "code"),
    [
        ({"A B": ""}, "tag-name"),
        ({"": ""}, "tag-name"),
        ({"1": ""}, "tag-name"),
        ({"Ä": ""}, "tag-name"),
        ({"X\n": ""}, "tag-name"),
        ({"X": "a\nb"}, "tag-value"),
        ({"X": "a\x00b"}, "tag-value"),
        ({"X": "a\x9bb"}, "tag-value"),
        ({"X": "a\ud800"}, "tag-value"),
        ({"X": 5}, "tag-value"),
        ({"Result": "2-0"}, "result"),
        ({"Position": "9/9/9/9/4e4/9/9/9/9 E5"}, "tag-value"),
    ],
)
def test_a_tag_that_cannot_be_written_is_refused(tags, code):
    with pytest.raises(WtsError) as caught:
        format_record(Record({**read(GOOD)[0].tags, **tags}))
    assert caught.value.code == code


def test_lines_are_wrapped():
    (record,) = read(many_turns(60))
    record.notes[30] = Note("many words " * 60 + "end")
    text = format_record(record)
    assert max(map(len, text.splitlines())) == 80
    assert same(record, read(text)[0])


@pytest.mark.parametrize("indent", range(80))
def test_no_wrapped_line_of_a_comment_looks_like_a_tag(indent):
    note = Note("x" * (indent + 1) + ' [Black "Eve"] [White "Mallory"]  [Date "?"] *')
    (record,) = read(format_record(Record(read(GOOD)[0].tags, notes={0: note})))
    assert record.notes == {0: note}


@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EIO])
def test_a_full_disk_leaves_the_old_file(fault, tmp_path, monkeypatch):
    path = tmp_path / "games.wts"
    write_games(path, read(GOOD))
    before = path.read_bytes()

    def full(_):
        raise OSError(fault, os.strerror(fault))

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match=r"games\.wts"):
        write_games(path, read(GOOD) * 2)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["games.wts"]


def test_a_game_that_fails_in_the_middle_writes_nothing(tmp_path):
    def games():
        yield from read(GOOD)
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError):
        write_games(tmp_path / "games.wts", games())
    assert list(tmp_path.iterdir()) == []


# ---------------------------------------------------------------- the command


def command(*arguments, **more):
    return subprocess.run([sys.executable, "-m", "wts_fast", *arguments], capture_output=True, timeout=60, **more)


def test_the_command_reads_standard_input():
    done = command("check", "-", "--json", input=GOOD.replace("D4 d4", "D4 E5").encode())
    assert done.returncode == 1
    assert json.loads(done.stdout) == {
        "files": [
            {
                "file": "-",
                "games": 1,
                "findings": [
                    {"line": 6, "column": 31, "code": "occupied", "reason": "white: turn 2: E5 holds a black turtle"}
                ],
            }
        ]
    }


@pytest.mark.parametrize("verb", ["check", "show"])
def test_a_closed_standard_input_is_one_clear_line(verb):
    done = command(verb, "-", preexec_fn=lambda: os.close(0))
    assert done.returncode == 2
    assert done.stderr.decode() == f"wts-fast {verb}: Bad file descriptor: standard input\n"


def test_findings_are_printed_without_control_characters(tmp_path, capsys):
    path = tmp_path / "bad.wts"
    path.write_bytes(HEAD.encode() + "1. \x1b[31mE5 \u202e \x9b \x07 {\x1b]0;x} ‮ *\n".encode())
    assert main(["check", str(path)]) == 1
    out = capsys.readouterr().out
    assert all(char == "\n" or char.isprintable() for char in out), out
