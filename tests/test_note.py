"""Comments, values and strategies: kept to the last bit, or refused."""

import io

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from wts_fast.errors import WtsError
from wts_fast.note import Note, format_note
from wts_fast.record import Record, check_file, format_record, read_games

TAGS = {"Black": "Ada", "White": "Bo", "Date": "2026.11.30", "Result": "*"}
GOOD = format_record(Record(TAGS, turns=[(40, 43), (30, 30)], notes={1: Note("a quiet turn")}))


def read(text):
    return list(read_games(io.BytesIO(text.encode())))


LISTED = st.dictionaries(st.integers(0, 80), st.floats(0, 1 / 81, allow_subnormal=True), max_size=81)


@given(
    st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="{}")).map(str.strip),
    st.none() | st.floats(-1, 1),
    LISTED,
    LISTED,
)
def test_notes_come_back_to_the_last_bit(text, value, black, white):
    assume("[%" not in text)
    note = Note(text, value, black, white)
    record = Record(TAGS, notes={0: note} if note else {})
    (again,) = read(format_record(record))
    assert again.notes.get(0, Note()) == note


@pytest.mark.parametrize("text", ["a\tb", "a \t b  c", "soft\u00adhyphen", "\U0001f422\u200d\U0001f95a", "全角　空白"])
def test_words_of_any_language_are_kept(text):
    text = f"{text} {text * 40} {text}"
    (record,) = read(format_record(Record(TAGS, notes={0: Note(text)})))
    assert record.notes == {0: Note(text)}


def test_other_annotations_stay_in_the_text():
    (record,) = read(GOOD.replace("a quiet turn", "[%clk 1:00] [%valued x] so [%value 0.5]"))
    assert record.notes == {1: Note("[%clk 1:00] [%valued x] so", 0.5)}


@pytest.mark.parametrize(
    "text",
    [
        "[%value 0.5",
        "[%value  0.5]",
        "[%value 0,5]",
        "[%value +1]",
        "[%value 1e999]",
        "[%value inf]",
        "[%value -1.5]",
        "[%value 0x1]",
        "[%value 1_0]",
        "[%value 0.5] [%value 0.5]",
        "[%value [%value 1] 0.5]",
        "[%black]",
        "[%black A1]",
        "[%black A1:0.5,]",
        "[%black A1:0.５]",
        "[%black:A1 1]",
        "[%white A1=1]",
        "[%white A1:-0.1]",
    ],
)
def test_a_damaged_annotation_is_an_error(text):
    for comment in (text, f"so {text} it is"):
        assert [f.code for f in check_file(io.BytesIO(GOOD.replace("a quiet turn", comment).encode()))[1]] in (
            ["annotation"],
            ["range"],
        )


@pytest.mark.parametrize(
    "fields",
    [
        {"value": float("nan")},
        {"value": float("inf")},
        {"value": 1.0000001},
        {"value": True},
        {"value": np.True_},
        {"value": "0.5"},
        {"value": 10**400},
        {"value": np.zeros(2)},
        {"black": {81: 0.5}},
        {"black": {True: 0.5}},
        {"black": {40: -0.5}},
        {"black": {40: float("nan")}},
        {"black": {40: 0.6, 41: 0.6}},
        {"white": {"E5": 0.5, 40: 0.5}},
        {"white": np.zeros(81)},
        {"white": [40]},
        {"text": "a\nb"},
        {"text": "a}b"},
        {"text": " a"},
        {"text": "a\x1b[31m"},
        {"text": "a\ud800"},
        {"text": "[%value 1]"},
        {"text": "[%value"},
        {"text": 5},
    ],
    ids=repr,
)
def test_a_note_holds_only_what_can_be_written(fields):
    with pytest.raises(WtsError):
        Note(**fields)


def test_numbers_of_numpy_are_taken_as_plain_ones():
    note = Note("", np.float64(-0.0), {np.int64(40): np.float32(0.5)})
    assert note == Note("", 0.0, {40: 0.5})
    assert format_note(note) == "[%value 0.0] [%black E5:0.5]"
