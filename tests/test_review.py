"""Reviews: the numbers of every turn add up, luck is fair, and what is written can be read again."""

from __future__ import annotations

import html.parser
import json
import random
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wts_fast import Game, Position, analyze, matrix
from wts_fast.draw.plot import Series, plot
from wts_fast.errors import LimitError, WtsError
from wts_fast.note import Note
from wts_fast.record import check_file, read_games
from wts_fast.review import Review, TurnReview, assess, review
from wts_fast.review.assess import put, symmetric, within
from wts_fast.review.html import html as page
from wts_fast.review.html import picture
from wts_fast.review.notes import annotated
from wts_fast.review.words import sentences, summary
from wts_fast.squares import COLOURS, parse_square
from wts_fast.symmetry import symmetries_of

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "selfplay.wts"

OPEN_FOUR = "9/9/9/9/2bbbb3/9/9/9/w1w1w4 -"
FOUR = "9/9/9/9/wbbbb4/9/9/9/2w1w1w2 -"
SUDDEN_DEATH = "wwwww4/9/9/9/9/9/9/9/bbbbb4 -"
ONE_LEFT = "bbwwbbwwb/wwbbwwbbw/bbwwbbwwb/wwbbwwbbw/bbwwbbww1/wwbbwwbbw/bbwwbbwwb/wwbbwwbbw/bbwwbbwwb -"
TWO_LEFT = ONE_LEFT.replace("wwbbwwbbw/bbwwbbwwb -", "wwbbwwbbw/1bwwbbwwb -")


def played(*turns: str, start: str | None = None) -> Game:
    game = Game(start, tags={"Black": "Ada", "White": "Bo", "Date": "2026.11.30"})
    for turn in turns:
        game.play(*turn.split())
    return game


def random_game(seed: int, most: int = 60) -> Game:
    rng, game = random.Random(seed), Game()
    while game.outcome is None and len(game) < most:
        game.play(rng.choice(game.position.legal), rng.choice(game.position.legal))
    return game


@pytest.fixture(scope="module")
def example() -> Review:
    return review(Game.read(EXAMPLE), nodes=60, seed=1)


# ---------------------------------------------------------------- one turn: matrices

#: Whole numbers make ties, fractions make none.
CELLS = st.one_of(st.integers(-2, 2).map(lambda n: n / 2), st.floats(-1, 1))


@st.composite
def turns(draw: st.DrawFn) -> tuple[np.ndarray, int, int]:
    n = draw(st.integers(1, 7))
    payoff = np.array(draw(st.lists(st.lists(CELLS, min_size=n, max_size=n), min_size=n, max_size=n)))
    return payoff, draw(st.integers(0, n - 1)), draw(st.integers(0, n - 1))


@settings(deadline=None, max_examples=150)
@given(turns())
def test_what_was_played_is_the_value_less_the_losses_plus_luck(turn: tuple[np.ndarray, int, int]) -> None:
    payoff, row, column = turn
    found = assess(payoff, row, column)
    again = found.value - found.black_loss + found.white_loss + found.luck
    assert abs(again - payoff[row, column]) < 1e-12
    assert min(found.black_losses.min(), found.white_losses.min()) >= 0
    assert found.black_loss == found.black_losses[row]
    assert found.white_loss == found.white_losses[column]
    assert abs(found.value - matrix.solve(payoff).value) < 1e-8


@settings(deadline=None, max_examples=100)
@given(turns())
def test_luck_has_expectation_zero_if_either_side_plays_its_mixture(turn: tuple[np.ndarray, int, int]) -> None:
    payoff, _, _ = turn
    n = len(payoff)
    luck = np.array([[assess(payoff, a, b).luck for b in range(n)] for a in range(n)])
    found = assess(payoff, 0, 0)
    assert np.abs(found.black @ luck).max() < 1e-7  # whatever White does
    assert np.abs(luck @ found.white).max() < 1e-7  # whatever Black does
    # And who plays the mixture loses nothing.
    assert found.black @ found.black_losses < 1e-7
    assert found.white @ found.white_losses < 1e-7


@settings(deadline=None, max_examples=100)
@given(turns())
def test_swapping_the_players_swaps_everything(turn: tuple[np.ndarray, int, int]) -> None:
    payoff, row, column = turn
    one, other = assess(payoff, row, column), assess(-payoff.T, column, row)
    assert one.value == pytest.approx(-other.value, abs=1e-12)
    assert one.luck == pytest.approx(-other.luck, abs=1e-12)
    assert one.black_loss == pytest.approx(other.white_loss, abs=1e-12)
    assert one.white_loss == pytest.approx(other.black_loss, abs=1e-12)
    assert np.array_equal(one.black, other.white)
    assert np.array_equal(one.white, other.black)


def test_a_loss_does_not_depend_on_what_the_other_named() -> None:
    payoff = np.random.default_rng(5).uniform(-1, 1, (6, 6))
    assert len({assess(payoff, 2, b).black_loss for b in range(6)}) == 1
    assert len({assess(payoff, a, 2).white_loss for a in range(6)}) == 1


def images(position: Position) -> list[tuple[np.ndarray, bool]]:
    legal = position.legal
    return [
        (np.array([legal.index(int(squares[s])) for s in legal]), swap) for squares, swap in symmetries_of(position)
    ]


def test_a_symmetric_matrix_has_the_symmetries_of_the_position_and_so_have_its_mixtures() -> None:
    position = Position(SUDDEN_DEATH)
    found = images(position)
    assert len(found) == 1
    assert found[0][1]
    n = len(position.legal)
    payoff = symmetric(np.random.default_rng(3).uniform(-1, 1, (n, n)), found)
    put(payoff, 4, 7, 0.25, found)
    place = found[0][0]
    assert payoff[place[7], place[4]] == -0.25
    assert np.allclose(payoff[np.ix_(place, place)], -payoff.T, atol=1e-15)
    judged = assess(payoff, 4, 7, found)
    assert abs(judged.value) < 1e-12
    assert np.allclose(judged.black[place], 0) == np.allclose(judged.white, 0)
    moved = np.empty(n)
    moved[place] = judged.black
    assert np.allclose(moved, judged.white, atol=1e-15)


@pytest.mark.parametrize(("lower", "upper"), [(0.5, 1.0), (-1.0, -0.5), (0.25, 0.25)])
def test_a_value_keeps_to_what_is_proved_about_it(lower: float, upper: float) -> None:
    payoff = np.random.default_rng(1).uniform(-0.2, 0.2, (8, 8))
    payoff[3, 3], payoff[5, 1] = 1.0, -1.0
    fixed = np.zeros((8, 8), bool)
    fixed[2, 6] = True
    found = within(payoff, lower, upper, fixed)
    assert lower - 1e-9 <= matrix.solve(found).value <= upper + 1e-9
    assert (found[3, 3], found[5, 1], found[2, 6]) == (1.0, -1.0, payoff[2, 6])
    assert np.abs(found).max() <= 1
    assert within(payoff, -1.0, 1.0, fixed) is payoff


# ---------------------------------------------------------------- payoffs of an analysis


def test_an_analysis_shows_the_payoffs_that_its_answer_solves() -> None:
    position = Position(OPEN_FOUR)
    found = analyze(position, nodes=200)
    assert found.payoffs is not None
    assert found.payoffs.shape == (81, 81)
    assert not found.payoffs.flags.writeable
    legal = list(position.legal)
    empty = np.zeros(81, bool)
    empty[legal] = True
    assert np.array_equal(np.isnan(found.payoffs), ~(empty[:, None] & empty[None, :]))
    inside = found.payoffs[np.ix_(legal, legal)]
    assert np.abs(inside).max() <= 1
    assert abs(matrix.solve(inside).value - found.value) < 0.05
    # A turn that wins is worth 1.
    assert found.payoffs[parse_square("B5"), parse_square("I9")] == 1.0
    assert "payoffs" not in found.to_dict()


def test_there_are_no_payoffs_where_nothing_was_estimated() -> None:
    assert analyze(Position(OPEN_FOUR).play("B5", "I9"), nodes=10).payoffs is None
    assert analyze(Position(), nodes=0).payoffs is None
    assert analyze(Position(), method="flat", nodes=100).payoffs is None


# ---------------------------------------------------------------- games


def assert_adds_up(found: Review) -> None:
    assert found.start_value is not None
    assert found.end is not None
    value = found.start_value
    for turn in found.turns:
        assert turn.before == pytest.approx(value, abs=1e-12)
        value = turn.before - turn.black.loss + turn.white.loss + turn.luck
        assert turn.after == pytest.approx(value, abs=1e-12)
        assert -1 <= turn.before <= 1
        assert min(turn.black.loss, turn.white.loss) >= 0
        assert turn.lower - 1e-5 <= turn.before <= turn.upper + 1e-5
        for choice in (turn.black, turn.white):
            assert abs(choice.mix.sum() - 1) < 1e-9
            assert choice.probability == choice.mix[choice.square]
            assert choice.loss == choice.losses[choice.square]
    assert found.end == pytest.approx(value, abs=1e-12)
    black, white = (found.side(colour) for colour in COLOURS)
    assert found.start_value - black.loss + white.loss + black.luck == pytest.approx(found.end, abs=1e-9)
    assert black.luck == -white.luck


@pytest.mark.parametrize("seed", range(4))
def test_the_numbers_of_a_whole_game_add_up_to_its_result(seed: int) -> None:
    game = random_game(seed)
    found = review(game, nodes=20)
    assert found.complete
    assert len(found.turns) == len(game)
    assert_adds_up(found)
    if game.outcome is not None:
        assert found.end == game.outcome.value


def test_the_start_is_worth_nothing_whatever_is_played_there() -> None:
    for turn in ("E5 H5", "A1 A1", "B7 C2"):
        assert abs(review(played(turn), nodes=30).turns[0].before) < 1e-12


def test_a_turn_and_its_mirror_image_are_judged_alike() -> None:
    one = review(played("E6 H5", "C2 D7"), nodes=30)
    other = review(played("E4 H5", "C8 D3"), nodes=30)
    assert one.turns[0].before == pytest.approx(other.turns[0].before, abs=1e-12)
    assert np.allclose(one.turns[0].black.mix, other.turns[0].black.mix, atol=0.3)


def test_without_turns_there_is_a_value_and_nothing_else() -> None:
    found = review(Game(OPEN_FOUR), nodes=30)
    assert (found.turns, found.complete, found.length) == ((), True, 0)
    assert found.start_value == found.end
    assert 0 < found.end <= 1
    assert found.side("black").mean_loss == 0
    assert "No turn" in summary(found)[0]
    over = Position(OPEN_FOUR).play("B5", "I9")
    done = review(Game(over), nodes=30)
    assert (done.turns, done.complete, done.end) == ((), True, 1.0)
    for one in (found, done):
        json.dumps(one.to_dict(), allow_nan=False)
        assert "<svg" in page(one)


def test_an_unfinished_game_ends_in_an_estimate() -> None:
    game = played("E5 E5", "B2 C2")
    found = review(game, nodes=50)
    assert found.outcome is None
    assert found.end == analyze(game.position, nodes=50).value
    assert "by estimate" in summary(found)[-1]
    assert_adds_up(found)


def test_a_game_given_up_is_told_apart_from_one_that_is_over() -> None:
    game = played("E5 E5")
    game.end("1-0")
    found = review(game, nodes=20)
    assert found.result == "1-0"
    assert found.end is not None
    assert found.end < 1
    assert "given up" in page(found)


def test_collisions_and_sudden_death_are_named() -> None:
    found = review(played("A5 A5", "C3 D3", start=SUDDEN_DEATH), nodes=30)
    assert [turn.collision for turn in found.turns] == [True, False]
    assert [turn.sudden_death for turn in found.turns] == [True, True]
    assert "A collision: an egg lies on A5." in sentences(found.turns[0])
    assert_adds_up(found)


@pytest.mark.parametrize("start", [ONE_LEFT, TWO_LEFT], ids=["one", "two"])
def test_the_last_squares_of_a_board_can_be_reviewed(start: str) -> None:
    game = Game(start)
    rng = random.Random(1)
    while game.outcome is None:
        game.play(rng.choice(game.position.legal), rng.choice(game.position.legal))
    found = review(game, nodes=50)
    assert_adds_up(found)
    if start == ONE_LEFT:
        (turn,) = found.turns
        assert (turn.black.loss, turn.white.loss, turn.luck, turn.before) == (0, 0, 0, 0)
        assert "Black's I5 was the only square." in sentences(turn)


def test_equal_nodes_give_an_equal_review_for_any_threads_and_seed(example: Review) -> None:
    other = review(Game.read(EXAMPLE), nodes=60, seed=2, threads=2)

    def numbers(found: Review) -> object:
        data = found.to_dict()
        return {
            name: value for name, value in data.items() if name not in ("seed", "threads", "seconds", "compile_seconds")
        }

    assert numbers(example) == numbers(other)


def test_no_time_at_all_still_gives_numbers_that_add_up() -> None:
    found = review(played("E5 E5", "B2 C2"), seconds=0.0, memory_mb=1)
    assert found.complete
    assert_adds_up(found)


def test_a_record_will_do() -> None:
    (record,) = read_games(EXAMPLE)
    record.turns, record.notes = record.turns[:2], {}
    record.tags["Result"] = "*"
    assert len(review(record, nodes=10).turns) == 2


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"nodes": 0}, "nodes"),
        ({"nodes": 1.5}, "nodes"),
        ({"seconds": -1}, "seconds"),
        ({"seconds": float("nan")}, "seconds"),
        ({"seed": -1}, "seed"),
        ({"threads": 0}, "threads"),
        ({"memory_mb": 0}, "memory_mb"),
    ],
)
def test_bad_limits_are_named(arguments: dict[str, object], field: str) -> None:
    with pytest.raises(LimitError) as caught:
        review(played("E5 E6"), **arguments)  # type: ignore[arg-type]
    assert caught.value.field == field
    with pytest.raises(WtsError) as other:
        review("game.wts")  # type: ignore[arg-type]
    assert other.value.field == "game"


# ---------------------------------------------------------------- missed


def the_turn(start: str, turn: str) -> TurnReview:
    return review(played(turn, start=start), nodes=200).turns[0]


def test_a_win_at_once_that_the_other_left_open_is_a_proved_miss() -> None:
    turn = the_turn(OPEN_FOUR, "I9 B5")
    (one,) = turn.missed
    assert (one.colour, one.kind, one.squares, one.proved, one.at_once) == (
        "black",
        "win",
        (parse_square("G5"),),
        True,
        True,
    )
    assert turn.black.loss > 0.1
    assert "Black could have won at once on G5, which White's B5 did not stop." in sentences(turn)


def test_a_row_left_open_is_a_missed_block_and_certain_once_it_is_completed() -> None:
    (lost,) = the_turn(FOUR, "F5 I9").missed
    assert (lost.colour, lost.kind, lost.squares, lost.proved) == ("white", "block", (parse_square("F5"),), True)
    win, block = the_turn(FOUR, "A1 I9").missed
    assert (win.colour, win.kind, win.proved) == ("black", "win", True)
    assert (block.colour, block.kind, block.proved, block.at_once) == ("white", "block", False, False)


def test_a_guess_that_went_wrong_is_luck_and_no_miss() -> None:
    turn = the_turn(OPEN_FOUR, "B5 G5")  # Black completes on one side, White stops the other
    assert turn.missed == ()
    assert turn.outcome is not None
    assert max(turn.black.loss, turn.white.loss) < 0.02
    assert turn.luck > 0.1


def test_colours_swapped_the_other_player_misses() -> None:
    swapped = FOUR.replace("b", "x").replace("w", "b").replace("x", "w")
    (lost,) = the_turn(swapped, "I9 F5").missed
    assert (lost.colour, lost.kind, lost.proved) == ("black", "block", True)


# ---------------------------------------------------------------- interrupts


def test_what_is_reviewed_before_an_interrupt_stays_and_is_the_end_of_the_game(example: Review) -> None:
    game, done = Game.read(EXAMPLE), []
    found = review(
        game, nodes=60, seed=1, on_progress=lambda n, of: done.append((n, of)), should_stop=lambda: len(done) >= 3
    )
    assert not found.complete
    assert done == [(1, 11), (2, 11), (3, 11)]
    assert [turn.number for turn in found.turns] == [9, 10, 11]
    assert [turn.to_dict() for turn in found.turns] == [turn.to_dict() for turn in example.turns[-3:]]
    assert_adds_up(found)
    assert "turns 9 to 11" in summary(found)[0]
    assert "turn-11" in page(found)
    told = annotated(game, found)
    assert sorted(told.notes)[-3:] == [9, 10, 11]
    assert told.notes[3] == game.notes[3]  # as it was


def test_an_interrupt_is_raised_or_kept() -> None:
    def interrupt(done: int, of: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    game = played("E5 E5", "B2 C2", "G7 D2")
    with pytest.raises(KeyboardInterrupt):
        review(game, nodes=10, on_progress=interrupt)
    found = review(game, nodes=10, on_progress=interrupt, keep_on_interrupt=True)
    assert [turn.number for turn in found.turns] == [3]
    nothing = review(game, nodes=10, should_stop=lambda: True)
    assert (nothing.turns, nothing.start_value, nothing.end, nothing.complete) == ((), None, None, False)
    assert summary(nothing) == ("Nothing was reviewed.",)
    json.dumps(nothing.to_dict(), allow_nan=False)
    page(nothing)


# ---------------------------------------------------------------- what is written


class Reader(html.parser.HTMLParser):
    """Collects elements, attributes and ids, and whether elements close as they open."""

    VOID = frozenset({"meta", "br", "link", "img", "input", "hr"})

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []
        self.ids: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_the_page_needs_nothing_else_and_escapes_what_a_record_says() -> None:
    game = played("A5 A5", "F1 G7", start=SUDDEN_DEATH)
    evil = "<script>alert('1')</script>\"&{{}}$title"
    game.set_tag("Black", evil)
    game.set_tag("Event", f"<img src=x onerror=1> {evil}")
    found = page(review(game, nodes=30))
    reader = Reader()
    reader.feed(found)
    assert reader.open == []
    assert not {"script", "img", "link", "iframe"} & set(reader.names)
    assert not [name for name, _ in reader.attributes if name.startswith("on") or name == "src"]
    links = [value for name, value in reader.attributes if name == "href" and value]
    assert links
    assert all(link.startswith("#") and link[1:] in reader.ids for link in links)
    assert len(reader.ids) == len(set(reader.ids))
    assert evil in "".join(reader.text)
    assert set(re.findall(r"https?://[^\"' <]+", found)) <= {"http://www.w3.org/2000/svg"}
    assert "url(" not in found


def test_the_page_has_boards_of_the_turns_that_mattered(example: Review) -> None:
    found = page(example)
    numbers = [turn.number for turn in example.mattered()]
    assert numbers == sorted(numbers)
    assert 1 <= len(numbers) <= 5
    assert [int(n) for n in re.findall(r'<article id="turn-(\d+)"', found)] == numbers
    assert found.count("<svg ") == 1 + 2 * len(numbers)
    heaviest = max(example.turns, key=lambda turn: turn.weight)
    assert heaviest.number in numbers


def test_the_course_of_a_game_is_a_picture_that_can_be_read(example: Review) -> None:
    drawn = ElementTree.fromstring(picture(example))
    space = "{http://www.w3.org/2000/svg}"
    lines = drawn.findall(f"{space}polyline")
    assert len(lines) == 3
    assert all(len(line.attrib["points"].split()) == 12 for line in lines)
    notes = [title.text or "" for title in drawn.iter(f"{space}title")]
    assert any(note.startswith("Turn 11, H6 C1:") for note in notes)


@pytest.mark.parametrize("turns", [0, 1, 2, 30, 2000])
def test_any_number_of_turns_can_be_drawn(turns: int) -> None:
    rng = random.Random(turns)
    bars = [rng.uniform(-2, 2) for _ in range(turns)]
    curve = [0.0]
    for bar in bars:
        curve.append(curve[-1] + bar)
    drawn = plot([Series("a<b", curve)] * 3, [Series("c&d", bars)] * 3, title='"x"')
    root = ElementTree.fromstring(drawn)
    height = float(root.attrib["height"])
    for line in root.findall("{http://www.w3.org/2000/svg}polyline"):
        ys = [float(point.split(",")[1]) for point in line.attrib["points"].split()]
        assert min(ys) >= 0
        assert max(ys) <= height


@pytest.mark.parametrize(
    ("curves", "bars"),
    [
        ([], []),
        ([Series("a", [])], []),
        ([Series("a", [0.0, 1.0])], [Series("b", [])]),
        ([Series("a", [float("nan")])], []),
        ([Series("a", [0.0])] * 4, []),
    ],
)
def test_series_that_do_not_fit_are_refused(curves: list[Series], bars: list[Series]) -> None:
    with pytest.raises(WtsError):
        plot(curves, bars)


def test_the_record_written_back_holds_the_review_and_the_old_comments(example: Review, tmp_path: Path) -> None:
    game = Game.read(EXAMPLE)
    game.annotate(4, Note("B1 looks {odd}".replace("{", "(").replace("}", ")")))
    told = annotated(game, example)
    told.write(tmp_path / "told.wts")
    assert check_file(tmp_path / "told.wts") == (1, [])
    again = Game.read(tmp_path / "told.wts")
    assert again == told
    assert again.turns == game.turns
    for turn in example.turns:
        note = again.notes[turn.number - 1]
        assert note.value == pytest.approx(turn.before, abs=1e-4)
        assert note.black == pytest.approx(
            {s: share for s, share, _ in turn.black.best(81) if share >= 0.001}, abs=1e-4
        )
    assert again.notes[11].value == 1.0
    assert again.notes[4].text.startswith("B1 looks (odd) Review: Black's B1")
    # A second review replaces the first, and nothing else.
    assert annotated(again, example) == again


def test_json_is_strict_and_complete(example: Review) -> None:
    data = json.loads(json.dumps(example.to_dict(), allow_nan=False))
    assert len(data["turns"]) == data["length"] == 11
    assert data["turns"][10]["turn"] == "H6 C1"
    assert data["turns"][10]["outcome"] == data["outcome"] == "black"
    assert set(data["mattered"]) <= set(range(1, 12))
    for turn in data["turns"]:
        total = turn["before"] - turn["black"]["loss"] + turn["white"]["loss"] + turn["luck"]
        assert total == pytest.approx(turn["after"], abs=1e-12)
        assert sum(turn["black"]["mix"].values()) == pytest.approx(1, abs=0.05)


DOCS = (ROOT / "docs" / "review.md").read_text(encoding="utf-8")


def test_every_field_is_documented(example: Review) -> None:
    data = example.to_dict()
    turn = data["turns"][0]
    missed = the_turn(FOUR, "F5 I9").to_dict()["missed"][0]
    names = {*data, *data["black"], *turn, *turn["black"], *turn["black"]["best"][0], *missed}
    assert sorted(name for name in names if f"`{name}`" not in DOCS) == []


def test_the_example_in_the_docs_adds_up() -> None:
    rows = re.findall(r"^ +(\d+)   \w\w +\d+ % +([\d.]+) +\w\w +\d+ % +([\d.]+) +(\S+) +(\S+)", DOCS, re.MULTILINE)
    assert [int(row[0]) for row in rows] == list(range(1, 12))
    value = 0.0
    for _, black, white, luck, after in rows:
        assert value - float(black) + float(white) + float(luck) == pytest.approx(float(after), abs=0.0031)
        value = float(after)
    assert value == 1.0
    assert all((ROOT / "docs" / name).exists() for name in re.findall(r"\]\(([^)]+)\)", DOCS))
