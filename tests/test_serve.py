"""The server as browsers and others meet it: every address, every refusal, many clients, slow ones, and the end."""

from __future__ import annotations

import contextlib
import socket
import statistics
import time
from collections.abc import Iterator

import httpx
import pytest
from serving import Served, begin_search, lines, post, read_until, refusal, strict

import wts_fast as wts
from wts_fast.commitment import verify
from wts_fast.errors import WtsError
from wts_fast.game import Game
from wts_fast.note import Note
from wts_fast.serve.commitments import Store
from wts_fast.threats import threats
from wts_fast.tutorial import EXERCISES

START = "9/9/9/9/9/9/9/9/9 -"
FOUR = "9/9/9/9/2bbbb3/9/9/9/9 -"
WON = "9/9/9/9/2bbbbb2/9/9/9/9 -"


# ---------------------------------------------------------------- the rules


def test_a_board_says_all_that_a_picture_needs(client: httpx.Client) -> None:
    text = "9/9/3e5/9/2bbbb3/9/2www4/9/9 D7"
    told = post(client, "api/position", {"position": text})
    position = wts.Position(text)
    assert told == {
        "position": text,
        "legal": [wts.squares.square_name(s) for s in position.legal],
        "outcome": None,
        "sudden_death": False,
        "winning": {"black": [], "white": []},
        "eggs": ["D7"],
        "black": ["C5", "D5", "E5", "F5"],
        "white": ["C3", "D3", "E3"],
        "threats": threats(position).to_dict(),
    }
    assert [row["square"] for row in told["threats"]["black"]["completions"]] == ["B5", "G5"]


def test_the_board_of_a_game_that_is_over(client: httpx.Client) -> None:
    told = post(client, "api/position", {"position": WON})
    assert (told["outcome"], told["legal"]) == ("black", [])
    assert told["winning"]["black"] == ["C5", "D5", "E5", "F5", "G5"]


def test_turns_lead_from_a_position_to_another(client: httpx.Client) -> None:
    told = post(client, "api/position", {"position": "start", "moves": [["E5", "H5"], ["d4", "D4"]]})
    assert told["position"] == str(wts.Position().play("E5", "H5").play("D4", "D4"))


def test_a_turn_is_told_event_by_event(client: httpx.Client) -> None:
    before = wts.Position("9/9/9/9/2bww4/9/9/9/4e4 E1")
    told = post(client, "api/turn", {"position": str(before), "black": "F5", "white": "A1"})
    turn = before.explain("F5", "A1")
    assert told["turn"] == "F5 A1"
    assert told["events"] == [event.as_dict() for event in turn.events]
    assert [event["event"] for event in told["events"]].count("hatch") == 1
    assert told["after"] == post(client, "api/position", {"position": str(turn.position)})


def test_records_are_read_with_positions_and_notes(client: httpx.Client) -> None:
    game = Game(tags={"Black": "Ada", "White": "Bo"})
    game.play("E5", "H5")
    game.play("D4", "D4")
    game.annotate(0, Note("first"))
    game.annotate(2, Note("an egg", 0.25, {0: 0.5, 1: 0.5}, {80: 1.0}))
    told = post(client, "api/record", {"text": f"{game}\n{game}"})
    assert len(told["games"]) == 2
    assert told["games"][0] == told["games"][1]
    assert told["games"][1] == {
        "tags": {"Black": "Ada", "White": "Bo", "Date": "????.??.??", "Result": "*"},
        "start": START,
        "moves": [["E5", "H5"], ["D4", "D4"]],
        "positions": [str(position) for position in game.positions],
        "result": "*",
        "notes": {
            "0": {"text": "first", "value": None, "black": {}, "white": {}},
            "2": {"text": "an egg", "value": 0.25, "black": {"A1": 0.5, "B1": 0.5}, "white": {"I9": 1.0}},
        },
    }


def test_what_was_read_can_be_written_again(client: httpx.Client) -> None:
    game = Game(FOUR, tags={"Black": 'A "quoted" name', "White": "Bö", "Event": "test"})
    game.play("B5", "B5")
    game.annotate(1, Note("blocked", -0.5, {}, {7: 0.25}))
    game.end("0-1")
    read = post(client, "api/record", {"text": str(game)})["games"][0]
    fields = {"tags": read["tags"], "position": read["start"], "moves": read["moves"], "notes": read["notes"]}
    assert post(client, "api/write", fields) == {"text": str(game)}


def test_a_damaged_record_is_refused_with_line_and_column(client: httpx.Client) -> None:
    game = Game()
    game.play("E5", "H5")
    text = str(game).replace("E5 H5", "E5 J9")
    error = refusal(client.post("api/record", json={"text": text}), 400)
    line = next(number for number, row in enumerate(text.split("\n"), 1) if "J9" in row)
    assert (error["line"], error["column"], error["code"]) == (line, 7, "token")


def test_records_of_many_games_are_read(client: httpx.Client) -> None:
    game = Game()
    for square in ("A1", "B2", "C3", "D4"):
        game.play(square, square)
    count = 500_000 // len(str(game))
    assert len(post(client, "api/record", {"text": "\n".join([str(game)] * count)})["games"]) == count


# ---------------------------------------------------------------- searches


def test_an_analysis_streams_and_ends_with_the_answer(client: httpx.Client) -> None:
    *reports, last = lines(client, "api/analyze", {"position": FOUR, "seconds": 0.8, "seed": 5})
    assert reports
    assert all(report["final"] is False for report in reports)
    assert (last["final"], last["seed"], last["position"]) == (True, 5, FOUR)
    assert last["threats"] == threats(wts.Position(FOUR)).to_dict()
    assert any("completes a row" in sentence or "complete a row" in sentence for sentence in last["words"]["en"])
    assert abs(sum(last["black"].values()) - 1) < 1e-9


def test_nodes_alone_decide_an_analysis(client: httpx.Client) -> None:
    asked = {"position": "start", "seconds": 60, "nodes": 300, "seed": 1}
    one, two = (lines(client, "api/analyze", asked)[-1] for _ in range(2))
    assert one["stopped_by"] == "nodes"
    assert (one["black"], one["value"]) == (two["black"], two["value"])


@pytest.mark.parametrize("method", ["flat", "rm+"])
def test_other_methods_answer_too(client: httpx.Client, method: str) -> None:
    asked = {"position": "start", "seconds": 60, "nodes": 200, "method": method}
    assert lines(client, "api/analyze", asked)[-1]["method"] == method


def test_a_game_that_is_over_is_analysed_at_once(client: httpx.Client) -> None:
    (last,) = lines(client, "api/analyze", {"position": WON})
    assert (last["value"], last["stopped_by"], last["words"]) == (1.0, "finished", {"en": [], "de": []})


@contextlib.contextmanager
def two_searches(server: Served) -> Iterator[list[socket.socket]]:
    """Take both places, and leave them again."""
    searches = [begin_search(server) for _ in range(2)]
    try:
        for search in searches:
            read_until(search, b'"value"')
        yield searches
    finally:
        for search in searches:
            search.close()
        with server.client() as own:
            assert lines(own, "api/analyze", {"position": "start", "nodes": 1})[-1]["final"]


def test_a_review_streams_how_far_it_is_and_ends_with_the_review(client: httpx.Client) -> None:
    asked = {"position": "9/9/9/9/1bbb5/9/9/9/1www5 -", "moves": [["E5", "E1"], ["A5", "A5"]], "seconds": 0.05}
    *reports, last = lines(client, "api/review", asked)
    assert all(0 < report["progress"] <= report["of"] == 3 for report in reports)
    assert last["final"] is True
    turns = last["review"]["turns"]
    assert [turn["turn"] for turn in turns] == ["E5 E1", "A5 A5"]
    for turn in turns:
        total = turn["before"] - turn["black"]["loss"] + turn["white"]["loss"] + turn["luck"]
        assert abs(total - turn["after"]) < 1e-9


def test_a_client_that_goes_away_ends_its_search(server: Served) -> None:
    with two_searches(server) as searches:
        waiting = begin_search(server)
        told = read_until(waiting, b'{"queued":1}')
        assert b'"value"' not in told
        begun = time.monotonic()
        searches[0].close()
        read_until(waiting, b'"value"')
        assert time.monotonic() - begun < 3  # of the 60 seconds that the closed one would have taken
        waiting.close()


def test_the_queue_for_searches_has_an_end(server: Served) -> None:
    with two_searches(server):
        waiting = [begin_search(server) for _ in range(8)]
        for number, search in enumerate(waiting, 1):
            read_until(search, b'{"queued":%d}' % number)
        answer = server.post("api/analyze", {"position": "start"})
        assert refusal(answer, 503)["code"] == "busy"
        assert answer.headers["retry-after"]
        waiting[0].close()  # the others come nearer
        read_until(waiting[1], b'{"queued":1}')
        read_until(waiting[7], b'{"queued":7}')
        for search in waiting:
            search.close()


def test_turns_are_told_at_once_while_searches_run(server: Served, client: httpx.Client) -> None:
    times = []
    with two_searches(server):
        for _ in range(40):
            begun = time.perf_counter()
            post(client, "api/turn", {"position": "start", "black": "E5", "white": "H5"})
            times.append(time.perf_counter() - begun)
            time.sleep(0.01)
    assert statistics.median(times) < 0.1, times


# ---------------------------------------------------------------- playing

THREAT = "9/9/9/9/wbbbb4/9/9/9/w1w6 -"  # F5 makes five


def test_levels_are_told_in_both_languages(client: httpx.Client) -> None:
    told = strict(client.get("api/levels").content)
    assert [level["number"] for level in told] == list(range(1, 9))
    assert all(set(level["name"]) == set(level["about"]) == {"en", "de"} for level in told)


@pytest.mark.parametrize("level", [2, 8])
@pytest.mark.parametrize("colour", ["black", "white"])
def test_the_engine_commits_before_it_sees_the_other_square(client: httpx.Client, colour: str, level: int) -> None:
    made = post(client, "api/commit", {"position": THREAT, "colour": colour, "level": level})
    assert set(made) == {"game", "commitment"}
    told = post(client, "api/reveal", {"game": made["game"], "square": "I9"})
    assert told["square"] == "F5"  # which wins for Black, and which White must stop
    assert told["commitment"] == made["commitment"]
    assert verify(made["commitment"], "F5", told["salt"])
    black, white = ("F5", "I9") if colour == "black" else ("I9", "F5")
    assert told["turn"] == post(client, "api/turn", {"position": THREAT, "black": black, "white": white})


def test_a_hidden_choice_serves_once(client: httpx.Client) -> None:
    game = post(client, "api/commit", {"position": THREAT, "colour": "black", "level": 1})["game"]
    error = refusal(client.post("api/reveal", json={"game": game, "square": "A5"}), 400)
    assert (error["code"], error["field"]) == ("occupied", "square")  # and the choice stays hidden
    assert refusal(client.post("api/reveal", json={"game": game, "square": "A10"}), 400)["field"] == "square"
    post(client, "api/reveal", {"game": game, "square": "I9"})
    error = refusal(client.post("api/reveal", json={"game": game, "square": "I9"}), 404)
    assert (error["code"], error["field"]) == ("game", "game")


def test_two_choices_for_one_position_are_told_apart(client: httpx.Client) -> None:
    asked = {"position": THREAT, "colour": "black", "level": 2}
    one, two = (post(client, "api/commit", asked) for _ in range(2))
    assert one["game"] != two["game"]
    assert one["commitment"] != two["commitment"]  # though both hide F5: the salts differ


# ---------------------------------------------------------------- the tutorial


def test_exercises_are_told_without_their_solutions(client: httpx.Client) -> None:
    told = strict(client.get("api/tutorial").content)
    assert [exercise["id"] for exercise in told] == [exercise.id for exercise in EXERCISES]
    for exercise in told:
        assert {"white", "accepted", "done"}.isdisjoint(exercise)
        assert set(exercise["task"]) == {"en", "de"}


def test_a_square_is_judged_and_its_turn_told(client: httpx.Client) -> None:
    exercise = EXERCISES[0]
    solution = exercise.accepted[0]
    told = post(client, "api/tutorial/check", {"id": exercise.id, "square": wts.squares.square_name(solution)})
    assert told["ok"] is True
    assert set(told["message"]) == {"en", "de"}
    turn = {
        "position": exercise.position,
        "black": wts.squares.square_name(solution),
        "white": wts.squares.square_name(exercise.white),
    }
    assert told["turn"] == post(client, "api/turn", turn)


# ---------------------------------------------------------------- hidden choices


def test_hidden_choices_are_so_many_at_most_and_for_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("wts_fast.serve.commitments.time.monotonic", lambda: clock[0])
    store = Store(most=3, seconds=10)
    names = [store.keep(value) for value in ("a", "b", "c", "d")]  # type: ignore[arg-type]
    assert (len(store), len(set(names))) == (3, 4)
    with pytest.raises(WtsError, match="game"):
        store.look(names[0])
    clock[0] = 5.0
    late = store.keep("e")  # type: ignore[arg-type]
    clock[0] = 10.0
    with pytest.raises(WtsError, match="game"):
        store.look(names[3])
    assert store.look(late) == "e"
    store.drop(late)
    assert len(store) == 0
