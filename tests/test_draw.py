"""Boards as text and SVG, and the story of a turn."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET

import pytest

from wts_fast import oracle
from wts_fast._kernel import Position
from wts_fast.draw.story import story, story_svg, story_text
from wts_fast.draw.svg import svg, svg_pair
from wts_fast.draw.text import board, side_by_side
from wts_fast.errors import InvalidSquare, WtsError
from wts_fast.squares import SQUARE_NAMES, parse_square
from wts_fast.state import Capture, Dissolve, EggLaid, Hatch, Placement, Row, State, Turn, Verdict

SVG = "{http://www.w3.org/2000/svg}"


def squares(*names: str) -> tuple[int, ...]:
    return tuple(parse_square(n) for n in names)


def state(black: str = "", white: str = "", eggs: str = "") -> State:
    return State(tuple(sorted(squares(*black.split()))), tuple(sorted(squares(*white.split()))), squares(*eggs.split()))


MIXED = state("H5 A1", "F5 I9", "C2 G5")


def even_heat() -> list[float]:
    return [0.0] * 40 + [0.75, 0.25] + [0.0] * 39


def random_board(rng: random.Random, eggs: int) -> State:
    chosen = rng.sample(range(81), rng.randrange(20, 79))
    some, rest = chosen[:eggs], chosen[eggs:]
    cut = rng.randrange(len(rest))
    return State(tuple(sorted(rest[:cut])), tuple(sorted(rest[cut:])), tuple(some))


def random_turns(seed: int, number: int) -> list[tuple[oracle.Position, Turn[oracle.Position]]]:
    """Turns on crowded boards with eggs, where much happens."""
    rng = random.Random(seed)
    turns: list[tuple[oracle.Position, Turn[oracle.Position]]] = []
    while len(turns) < number:
        position = oracle.Position.from_state(random_board(rng, rng.randrange(9)))
        if position.legal:
            turns.append((position, position.explain(rng.choice(position.legal), rng.choice(position.legal))))
    return turns


def rows_of(text: str) -> list[list[str]]:
    """The cells of a drawing, rank 9 first."""
    return [line.split("|")[1].split() for line in text.splitlines() if "|" in line]


# --- text -------------------------------------------------------------------------------------------


def test_rank_9_is_on_top_and_file_a_on_the_left() -> None:
    lines = board(state("A9", "I1")).splitlines()
    assert lines[0].split() == list("ABCDEFGHI")
    assert [line[0] for line in lines[2:11]] == list("987654321")
    cells = rows_of("\n".join(lines))
    assert cells[0] == ["B"] + ["."] * 8
    assert cells[8] == ["."] * 8 + ["W"]


def test_file_letters_stand_above_their_pieces() -> None:
    for eggs in ("", "A9 B9 C9 D9 E9 F9 G9 H9 I9 A8"):
        lines = board(state("E5", "", eggs)).splitlines()
        assert lines[0].index("E") == next(line for line in lines if line.startswith("5")).index("B")


def test_every_square_shows_what_stands_on_it() -> None:
    for seed in range(20):
        drawn = random_board(random.Random(seed), 12)
        expected = dict.fromkeys(drawn.black, "B") | dict.fromkeys(drawn.white, "W")
        expected |= {s: f"e{age}" for age, s in enumerate(drawn.eggs, 1)}
        cells = rows_of(board(drawn))
        for square in range(81):
            assert cells[8 - square // 9][square % 9] == expected.get(square, "."), f"seed {seed}"


def test_marks_are_letters_beside_the_pieces() -> None:
    text = board(MIXED, last=("h5", "B1"), captured=("F5", 1), winning=(0,))
    cells = rows_of(text)
    assert cells[4] == [".", ".", ".", ".", ".", "xW", "e2", ">B", "."]
    assert cells[8][:2] == ["*B", ">x."]
    assert text.endswith("eggs, oldest first: C2, G5\n> latest turn   x captured   * winning turtle")


def test_legend_explains_only_what_is_there() -> None:
    assert "turn" not in board(MIXED)
    assert "eggs" not in board(state("A1"))
    assert "eggs" not in board(MIXED, legend=False)


def test_ascii_text_is_ascii_and_the_other_is_not_and_both_hold_the_same_letters() -> None:
    plain, drawn = board(MIXED, ascii=True), board(MIXED, ascii=False)
    assert plain.isascii()
    assert not drawn.isascii()
    assert re.findall("[A-Za-z0-9]+", plain) == re.findall("[A-Za-z0-9]+", drawn)


def test_colours_add_nothing_but_colours() -> None:
    for heat in (None, even_heat()):
        plain, coloured = board(MIXED, heat=heat), board(MIXED, heat=heat, colour=True)
        assert "\x1b" not in plain
        assert "\x1b[" in coloured
        assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_every_colour_is_switched_off_again() -> None:
    for line in board(MIXED, heat=even_heat(), colour=True).splitlines():
        assert line.count("\x1b[0m") * 2 == line.count("\x1b["), line


def test_heat_is_written_in_percent() -> None:
    heat = [0.0] * 81
    heat[40], heat[41], heat[42] = 0.75, 0.246, 0.004
    assert rows_of(board(state("A1"), heat=heat))[4] == [".", ".", ".", ".", "75", "25", ".", ".", "."]


def test_two_heat_maps_fit_into_80_columns() -> None:
    pair = side_by_side(board(MIXED, heat=even_heat(), colour=True), board(MIXED, heat=even_heat(), colour=True))
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in pair.splitlines()]
    assert max(map(len, lines)) <= 80
    # Colours take no room: the second board begins in the same column everywhere.
    assert len({line.rindex("|") for line in lines if "|" in line}) == 1


def test_side_by_side_keeps_blocks_of_different_height() -> None:
    assert side_by_side("a", "b\nc\nd", gap=1) == "a b\n  c\n  d"
    assert side_by_side("a\nb\nc", "d", gap=1) == "a d\nb\nc"


@pytest.mark.parametrize("bad", [[0.1] * 80, [float("nan")] * 81, [-0.1] + [0.0] * 80, [1.5] + [0.0] * 80])
def test_heat_that_is_none_is_refused(bad: list[float]) -> None:
    with pytest.raises(WtsError) as text_error:
        board(MIXED, heat=bad)
    with pytest.raises(WtsError) as svg_error:
        svg(MIXED, fill=bad)
    assert (text_error.value.code, text_error.value.field) == ("heat", "heat")
    assert (svg_error.value.code, svg_error.value.field) == ("heat", "fill")


@pytest.mark.parametrize("draw", [board, svg])
def test_what_is_no_square_is_refused_with_its_argument(draw: object) -> None:
    for name in ("last", "captured", "winning"):
        for bad in ("J1", "５５", True, 81, 1.5):
            with pytest.raises(InvalidSquare) as error:
                draw(MIXED, **{name: ("A1", bad)})  # type: ignore[operator]
            assert error.value.field == name
    with pytest.raises(WtsError, match="last: a turn is two squares"):
        draw(MIXED, last=("A1",))  # type: ignore[operator]


@pytest.mark.parametrize("draw", [board, svg])
def test_a_state_that_no_board_can_hold_is_refused(draw: object) -> None:
    with pytest.raises(WtsError):
        draw(State((1, 2), (2,), ()))  # type: ignore[operator]


# --- SVG --------------------------------------------------------------------------------------------


def titles(picture: str) -> list[str]:
    """The names of the pieces drawn."""
    return [t.text or "" for t in ET.fromstring(picture).iter(f"{SVG}title")][1:]


def test_svg_is_xml_with_a_title_and_a_description() -> None:
    root = ET.fromstring(svg(MIXED, title='After <12> & "more" \x07\'', last=("H5", "F5")))
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert root[0].tag == f"{SVG}title"
    assert root[0].text == root.get("aria-label") == 'After <12> & "more"  \''
    assert root[1].tag == f"{SVG}desc"
    assert root[1].text == (
        "black turtles on A1 H5; white turtles on F5 I9; eggs, oldest first, on C2 G5; last turn H5 F5."
    )


def test_svg_is_a_string_that_notebooks_show() -> None:
    picture = svg(MIXED)
    assert isinstance(picture, str)
    assert picture._repr_svg_() == picture._repr_html_() == picture


def test_svg_names_nothing_outside_itself_and_uses_no_ids() -> None:
    # Several pictures in one page must not meddle with each other.
    picture = svg_pair(MIXED, even_heat(), even_heat(), value=0.5)
    assert re.findall(r"https?:[^\"]*", picture) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"\b(id|href|src|style|class)=", picture)


def test_svg_draws_every_piece_at_its_square() -> None:
    for seed in range(10):
        drawn = random_board(random.Random(seed), 12)
        expected = [(s, "black turtle") for s in drawn.black] + [(s, "white turtle") for s in drawn.white]
        expected += [(s, f"egg {age}") for age, s in enumerate(drawn.eggs, 1)]
        picture = svg(drawn, coordinates=False)
        assert titles(picture) == [f"{SQUARE_NAMES[s]}: {what}" for s, what in sorted(expected)], f"seed {seed}"
        for group in ET.fromstring(picture).iter(f"{SVG}g"):
            if group.find(f"{SVG}title") is not None:
                square = parse_square(group.findtext(f"{SVG}title", "").split(":")[0])
                place = f"translate({square % 9 * 48 + 24} {(8 - square // 9) * 48 + 24})"
                assert group.get("transform", "").startswith(place), f"seed {seed}"


def test_svg_tells_turtles_apart_without_colours() -> None:
    def shape(picture: str) -> str:
        return re.sub(r"(fill|stroke)=\"[^\"]*\"|<desc>.*?</desc>|<title>.*?</title>", "", picture)

    assert shape(svg(state("E5"))) != shape(svg(state("", "E5"))) != shape(svg(state("", "", "E5")))


def test_svg_heat_is_darker_where_it_is_more_and_says_percent() -> None:
    heat = [0.0] * 81
    heat[40], heat[41], heat[42], heat[79] = 0.6, 0.3, 0.0995, 0.0005
    picture = svg(MIXED, fill=heat, coordinates=False)
    texts = [t.text for t in ET.fromstring(picture).iter(f"{SVG}text")]
    # F5 (41) and G5 (42) are occupied: shaded, but their pieces are not written over.
    assert texts == ["1", "2", "60"]
    fills = re.findall(r'<rect x="\d+" y="\d+" width="48" height="48" fill="#(..)(..)(..)"/>', picture)
    lightness = [sum(int(c, 16) for c in rgb) for rgb in fills]
    assert len(lightness) == 4
    assert lightness == sorted(lightness)


def test_svg_fill_takes_colours_by_square_and_cannot_break_out() -> None:
    picture = svg(MIXED, fill={"E5": "gold", 0: '"/><script>'})
    root = ET.fromstring(picture)
    fills = [r.get("fill") for r in root.iter(f"{SVG}rect") if r.get("width") == "48"]
    assert fills == ["gold", '"/><script>']
    assert root.find(f".//{SVG}script") is None
    with pytest.raises(InvalidSquare, match="fill"):
        svg(MIXED, fill={"E10": "gold"})


def test_svg_all_zero_heat_is_an_empty_map() -> None:
    assert svg(MIXED, fill=[0.0] * 81) == svg(MIXED)


def test_svg_marks_change_the_picture_and_its_words() -> None:
    plain = svg(MIXED)
    for marks in ({"last": ("B1", "B1")}, {"captured": ("F5",)}, {"captured": ("B2",)}, {"winning": ("A1",)}):
        marked = svg(MIXED, **marks)
        ET.fromstring(marked)
        assert len(marked) > len(plain)
        assert ET.fromstring(marked)[1].text != ET.fromstring(plain)[1].text
    # Both chose B1: the frame says so, since no turtle stands there to tell.
    assert "BW" in [t.text for t in ET.fromstring(svg(MIXED, last=("B1", "B1"))).iter(f"{SVG}text")]


def test_svg_size_and_coordinates() -> None:
    root = ET.fromstring(svg(MIXED, size=200, coordinates=False))
    assert root.get("width") == root.get("height") == "200"
    assert not {"A", "9"} & {t.text for t in root.iter(f"{SVG}text")}
    assert len(list(ET.fromstring(svg(MIXED)).iter(f"{SVG}text"))) == 2 + 4 * 9
    for bad in (0, 15, 10_001, True, 100.5, "100"):
        with pytest.raises(WtsError, match="size: expected a whole number of pixels"):
            svg(MIXED, size=bad)  # type: ignore[arg-type]


def test_svg_pair_holds_both_strategies_and_the_value() -> None:
    black, white = [0.0] * 81, [0.0] * 81
    black[40], white[0 + 1] = 1.0, 1.0
    root = ET.fromstring(svg_pair(MIXED, black, white, value=-0.1234, title="Turn 3"))
    assert root[0].text == "Turn 3: value -0.123, better for White"
    texts = [t.text for t in root.iter(f"{SVG}text")]
    assert texts.count("100") == 2
    assert {"Black: E5 100 %", "White: B1 100 %"} <= set(texts)
    assert ET.fromstring(svg_pair(MIXED, black, white, value=0.2))[0].text == "Value +0.200, better for Black"
    for bad in (1.01, float("nan")):
        with pytest.raises(WtsError, match="value: a value is from -1 to 1"):
            svg_pair(MIXED, black, white, value=bad)
    with pytest.raises(WtsError) as error:
        svg_pair(MIXED, black, white[1:])
    assert error.value.field == "white"


# --- the story of a turn ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_story_from_the_events_alone_ends_at_the_position_after_the_turn(seed: int) -> None:
    kinds = set()
    for before, turn in random_turns(seed, 600):
        # The story must not peek at the position that the turn brings along.
        frames = story(before, Turn(None, turn.events))
        assert frames[-1].state == turn.position.state, f"seed {seed}: {before}"
        winning = set(turn.position.winning("black")) | set(turn.position.winning("white"))
        assert frames[-1].marks.winning == winning
        kinds |= {type(e) for e in turn.events}
    assert kinds == {Placement, EggLaid, Capture, Hatch, Dissolve, Row, Verdict}, f"seed {seed} shows too little"


def test_story_draws_in_text_and_svg_whatever_happens() -> None:
    for before, turn in random_turns(7, 60):
        frames = story(before, turn)
        text = story_text(before, turn, title="Seed 7")
        assert text.isascii()
        assert text.startswith("Seed 7\n\n1. ")
        assert re.findall(r"^(\d+)\. ", text, re.M) == [str(n) for n in range(1, len(frames) + 1)]
        ET.fromstring(story_svg(before, turn))


def test_story_of_a_capture_and_a_hatch() -> None:
    before = oracle.Position.from_state(MIXED)
    frames = story(before, before.explain("E5", "A9"))
    assert [f.caption for f in frames] == [
        "Black lands on E5, White on A9.",
        "Black's E5 captures F5 and G5 to the east, with H5.",
        "F5 and G5 leave the board. Now Black holds 1 claim.",
        "The oldest egg, C2, hatches into a black turtle, with no claims left.",
        "No row: play goes on.",
    ]
    assert [f.state for f in frames] == [
        state("A1 E5 H5", "F5 A9 I9", "C2 G5"),
        state("A1 E5 H5", "F5 A9 I9", "C2 G5"),
        state("A1 E5 H5", "A9 I9", "C2"),
        state("A1 E5 H5 C2", "A9 I9"),
        state("A1 E5 H5 C2", "A9 I9"),
    ]
    assert frames[1].marks.captured == frames[2].marks.captured == set(squares("F5", "G5"))
    assert [c.end for c in frames[1].marks.brackets] == list(squares("H5"))
    assert frames[3].marks.changed == parse_square("C2")
    assert all(f.marks.last == squares("E5", "A9") for f in frames)


def test_story_of_a_collision() -> None:
    before = oracle.Position()
    frames = story(before, before.explain("D4", "D4"))
    assert [f.caption for f in frames] == ["Both players chose D4: an egg is laid there.", "No row: play goes on."]
    assert frames[0].state == state("", "", "D4")


def test_story_of_a_dissolved_egg_and_lapsed_claims() -> None:
    # Black closes A1 to D1, White A9 to D9 twice over (A9 to D9 and A9 to A6), with one egg to hatch.
    before = oracle.Position.from_state(state("D1 B9 C9 A8 A7", "B1 C1 D9 A6", "I5"))
    frames = story(before, before.explain("A1", "A9"))
    assert [f.caption for f in frames][2:] == [
        "B1, C1, B9, C9, A8 and A7 leave the board. Now Black holds 1 claim and White 2 claims.",
        "Both players hold claims: the oldest egg, I5, dissolves. Now White holds 1 claim.",
        "1 claim of White's finds no egg and lapses. No row: play goes on.",
    ]


@pytest.mark.parametrize(
    ("black", "white", "turn", "caption"),
    [
        ("A1 B1 C1 D1", "", "E1 I9", "Black has a row: A1 to E1. Black wins, 5 to 0 winning turtles."),
        ("", "A1 B1 C1 D1", "I9 E1", "White has a row: A1 to E1. White wins, 5 to 0 winning turtles."),
        (
            "A1 B1 C1 D1",
            "A9 B9 C9 D9",
            "E1 E9",
            "Black has a row: A1 to E1. White has a row: A9 to E9. 5 to 5 winning turtles: sudden death, play goes on.",
        ),
    ],
)
def test_story_ends_with_the_verdict(black: str, white: str, turn: str, caption: str) -> None:
    before = oracle.Position.from_state(state(black, white))
    frames = story(before, before.explain(*turn.split()))
    assert frames[-1].caption == caption
    assert len(frames[-1].marks.winning) == (10 if "death" in caption else 5)


def test_a_story_is_told_in_german_too() -> None:
    before = Position("9/9/9/9/5web1/9/2e6/9/9 G5,C3")
    assert [f.caption for f in story(before, before.explain("E5", "A9"), lang="de")] == [
        "Schwarz landet auf E5, Weiß auf A9.",
        "Schwarz schlägt von E5 aus F5 und G5 im Osten, zusammen mit H5.",
        "F5 und G5 kommen vom Brett. Noch offen ist: Schwarz ein Schlag.",
        "Aus dem ältesten Ei, auf C3, schlüpft eine schwarze Schildkröte. Kein Schlag ist noch offen.",
        "Keine Reihe: Es geht weiter.",
    ]
    assert "Der Zug E5 A9" in story_svg(before, before.explain("E5", "A9"), lang="de")
    with pytest.raises(WtsError) as error:
        story(before, before.explain("E5", "A9"), lang="fr")
    assert (error.value.code, error.value.field) == ("lang", "lang")


def test_each_language_tells_of_the_same_squares() -> None:
    """Whatever happens: as many steps, and the squares of each in the same number."""
    for before, turn in random_turns(7, 300):
        english, german = (story(before, turn, lang=lang) for lang in ("en", "de"))
        for one, other in zip(english, german, strict=True):
            assert (one.state, one.marks) == (other.state, other.marks)
            named = [sorted(re.findall(r"\b[A-I][1-9]\b", frame.caption)) for frame in (one, other)]
            assert named[0] == named[1]
            assert one.caption != other.caption


def test_story_refuses_events_of_another_position() -> None:
    refused = 0
    for before, turn in random_turns(11, 100):
        elsewhere = State(before.state.white, before.state.black, before.state.eggs[::-1])
        if any(isinstance(e, Capture | Dissolve) for e in turn.events):
            with pytest.raises(WtsError, match="do not follow") as error:
                story(elsewhere, turn)
            assert error.value.code == "story"
            refused += 1
    assert refused > 10
    before = oracle.Position()
    with pytest.raises(WtsError, match="E5 is occupied"):
        story(state("E5"), before.explain("E5", "H5"))


def test_story_svg_has_one_board_a_frame() -> None:
    before = oracle.Position.from_state(MIXED)
    turn = before.explain("E5", "A9")
    for columns in (1, 2, 3, 9):
        root = ET.fromstring(story_svg(before, turn, columns=columns, coordinates=False))
        assert root[0].text == "The turn E5 A9"
        assert len([r for r in root.iter(f"{SVG}rect") if r.get("width") == "432"]) == 5
        numbered = [t.text for t in root.iter(f"{SVG}text") if re.match(r"\d\. ", t.text or "")]
        assert len(numbered) == 5
    for bad in (0, 21, True, 2.0):
        with pytest.raises(WtsError, match="columns"):
            story_svg(before, turn, columns=bad)  # type: ignore[arg-type]
