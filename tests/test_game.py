"""Games: play, undo, notes, files; nothing shared and nothing half done."""

import copy
import doctest
import io
import pickle
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wts_fast.game
import wts_fast.notation
from wts_fast._kernel import Position
from wts_fast.errors import IllegalMove, ParseError, WtsError
from wts_fast.game import Game
from wts_fast.note import Note
from wts_fast.record import read_games
from wts_fast.state import Outcome

WIN = [("A1", "A9"), ("B1", "C8"), ("C1", "F7"), ("D1", "A5"), ("E1", "I4")]


def played(turns=WIN):
    game = Game(tags={"Black": "Ada", "White": "Bo"})
    for black, white in turns:
        game.play(black, white)
    return game


def test_a_game_is_played_to_its_end():
    game = played()
    assert (game.outcome, game.result, len(game)) == (Outcome.BLACK, "1-0", 5)
    assert game.at(0) == Position()
    assert game.at(5) == game.position
    with pytest.raises(IllegalMove):
        game.play("H9", "H8")
    assert len(game) == 5


def test_an_illegal_turn_leaves_the_game_as_it_was():
    game = played(WIN[:2])
    before = copy.deepcopy(game)
    for squares in [("A1", "H8"), ("H8", "A1"), ("H8", True), ("J1", "A1")]:
        with pytest.raises(IllegalMove):
            game.play(*squares)
    assert game == before


def test_undo_takes_back_turn_note_and_result():
    game = played()
    game.annotate(5, Note("a row"))
    assert game.undo() == (4, 35)
    assert (game.result, game.notes, len(game)) == ("*", {}, 4)
    for _ in range(4):
        game.undo()
    with pytest.raises(WtsError, match="no turn"):
        game.undo()


def test_copies_share_nothing():
    game = played(WIN[:2])
    for twin in (copy.copy(game), copy.deepcopy(game)):
        twin.play("I1", "I2")
        twin.annotate(0, Note("x"))
        assert (len(game), game.notes) == (2, {})


def test_explain_tells_a_turn_of_the_game():
    assert played().explain(5).position == played().position
    with pytest.raises(WtsError):
        played().explain(0)


def test_a_note_stands_on_a_turn_and_on_empty_squares():
    game = played(WIN[:1])
    game.annotate(1, Note("", 0.5, {40: 1.0}))
    with pytest.raises(WtsError, match="not empty"):
        game.annotate(1, Note("", None, {0: 1.0}))
    for turn in (2, -1, True, 1.0):
        with pytest.raises(WtsError):
            game.annotate(turn, Note("x"))
    game.annotate(1, Note())
    assert game.notes == {}


def test_a_result_the_board_contradicts_is_refused():
    game = played()
    with pytest.raises(WtsError, match="board"):
        game.end("0-1")
    game.undo()
    game.end("0-1")
    assert game.tags["Result"] == "0-1"


def test_files_keep_the_game(tmp_path):
    game = played(WIN[:3])
    game.annotate(2, Note("three to come", -0.25, {40: 0.5, 41: 0.5}))
    game.end("1/2-1/2")
    game.write(tmp_path / "game.wts")
    assert Game.read(tmp_path / "game.wts") == game
    assert (tmp_path / "game.wts").read_text(encoding="utf-8") == str(game)


def test_a_file_of_two_games_is_not_one_game(tmp_path):
    path = tmp_path / "two.wts"
    path.write_text(str(played()) + "\n" + str(played()), encoding="utf-8")
    with pytest.raises(WtsError, match="more than one"):
        Game.read(path)
    path.write_text("", encoding="utf-8")
    with pytest.raises(ParseError, match="no game"):
        Game.read(path)


@pytest.mark.parametrize("bad", [5, b"9", ["9"]])
def test_what_is_no_position_is_refused(bad):
    with pytest.raises(WtsError):
        Game(bad)


@pytest.mark.parametrize(
    "path", sorted((Path(__file__).parents[1] / "examples").glob("*.wts")), ids=lambda path: path.name
)
def test_examples_are_written_as_we_write_them(path):
    assert str(Game.read(path)) == path.read_text(encoding="utf-8")


def test_a_game_holds_only_what_can_be_written():
    game = played(WIN[:1])
    before = copy.deepcopy(game)
    for name, value in [
        ("A B", ""),
        ("X", "a\nb"),
        ("X", 5),
        ("Result", "2-0"),
        ("Position", "9/9/9/9/4e4/9/9/9/9 E5"),
    ]:
        with pytest.raises(WtsError):
            game.set_tag(name, value)
        with pytest.raises(WtsError):
            Game(tags={name: value})
    assert game == before
    game.set_tag("Event", 'the "first"')
    assert game.tags["Event"] == 'the "first"'
    assert game != before


def test_what_is_read_from_a_game_cannot_change_it():
    """A write that went nowhere would be a lost tag."""
    game = played(WIN[:1])
    with pytest.raises(TypeError):
        game.tags["Event"] = "lost"
    with pytest.raises(TypeError):
        game.notes[0] = Note("lost")
    record = game.to_record()
    record.turns.append((8, 9))
    record.tags["Black"] = "Eve"
    record.notes[0] = Note("x")
    assert game == played(WIN[:1])


def test_playing_on_takes_an_agreed_result_back():
    game = played(WIN[:1])
    game.end("1-0")
    assert game.result == "1-0"
    game.play("I1", "I2")
    assert game.result == "*"
    game.end("0-1")
    game.undo()
    assert game.result == "*"


def test_a_record_that_the_board_contradicts_is_no_game():
    record = played().to_record()
    record.tags["Result"] = "0-1"
    with pytest.raises(WtsError, match="board"):
        Game.from_record(record)
    record = played(WIN[:2]).to_record()
    record.notes[3] = Note("behind a turn that is not there")
    with pytest.raises(WtsError):
        Game.from_record(record)


def test_a_start_of_its_own_is_kept(tmp_path):
    game = Game("9/9/9/9/3be3w/9/2e6/9/9 E5,C3", tags={"Result": "0-1"})
    game.write(tmp_path / "game.wts")
    again = Game.read(tmp_path / "game.wts")
    assert again == game
    assert str(again.start) == "9/9/9/9/3be3w/9/2e6/9/9 E5,C3"
    assert again.result == "0-1"
    assert again != Game(game.start)
    assert again != Game(tags={"Result": "0-1"})
    assert again != "a game"


def test_a_game_survives_pickle_and_repr_is_one_line():
    game = played()
    game.annotate(2, Note("x", 0.5, {80: 1.0}))
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(game, protocol)) == game
    assert repr(game).startswith("<Game of 5 turns, 1-0: ")
    assert "\n" not in repr(game)
    with pytest.raises(TypeError):
        hash(game)


@settings(max_examples=40)
@given(st.randoms(use_true_random=False), st.integers(0, 60))
def test_random_games_come_back_from_files_and_from_undo(rng, turns):
    game = Game(tags={"Black": rng.choice(["Ada", 'Q"\\', "龜"])})
    seen = [copy.deepcopy(game)]
    for turn in range(1, turns + 1):
        legal = game.position.legal
        if not legal:
            break
        game.play(rng.choice(legal), rng.choice(legal))
        if game.position.legal and rng.random() < 0.5:
            square = rng.choice(game.position.legal)
            game.annotate(turn, Note(rng.choice(["", "why?", "[%clk 0:01] 1-0 *"]), rng.uniform(-1, 1), {square: 1}))
        seen.append(copy.deepcopy(game))
    (record,) = read_games(io.BytesIO(str(game).encode()))
    assert Game.from_record(record) == game
    assert game.positions == tuple(record.positions)
    while len(game):
        assert game == seen[len(game)]
        game.undo()
    assert game == seen[0]


@pytest.mark.parametrize("module", [wts_fast.game, wts_fast.notation], ids=lambda module: module.__name__)
def test_examples_of_the_documentation_are_so(module):
    failed, tried = doctest.testmod(module)
    assert failed == 0
    assert tried > 0
