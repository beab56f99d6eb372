"""Records: what is written is read again; what is damaged is an error with its place, and games stay apart."""

import io
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wts_fast._kernel import Position
from wts_fast.cli import main
from wts_fast.errors import ParseError, WtsError
from wts_fast.note import Note
from wts_fast.record import Record, check_file, format_record, read_games, write_games

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
