"""The ladder: finished games are kept, whatever cuts it off, and its tables land between their markers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from wts_fast._kernel import Position
from wts_fast.match import play_match, players

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def ladder(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    import ladder

    return ladder


def test_what_is_finished_is_not_played_again(ladder: ModuleType, tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    pairing, other = ladder.Pairing("a", "random", "one-turn"), ladder.Pairing("b", "random", "random")
    first = ladder.Ladder(results)
    ladder.run(first, (pairing,), 24)
    before = results.read_bytes()
    ladder.run(ladder.Ladder(results), (pairing,), 24)
    assert results.read_bytes() == before
    with results.open("a", encoding="utf-8") as file:
        file.write('{"first":"ran')  # cut off in the middle
    again = ladder.Ladder(results)
    ladder.run(again, (pairing, other), 44)
    assert results.read_bytes().startswith(before)
    assert json.dumps(again.games(pairing)[:24]) == json.dumps(first.games(pairing))
    assert len(again.games(pairing)) == len(again.games(other)) == 44
    match = play_match("random", "one-turn", games=20, seed=3)
    assert [score for score, _ in again.games(pairing)[24:44]] == [game.score for game in match.in_order]


def test_one_seed_says_what_a_match_says(ladder: ModuleType, tmp_path: Path) -> None:
    pairing = ladder.Pairing("a", "one-turn", "one-turn:weights=hand")
    played = ladder.Ladder(tmp_path / "results.jsonl")
    ladder.run(played, (pairing,), 20)
    match = play_match(pairing.first, pairing.second, games=20, seed=1)
    number, plain, less = played.found(pairing)
    assert (number, plain) == (20, match.estimate)
    assert match.adjusted is not None
    assert less.score == pytest.approx(match.adjusted.score, abs=1e-4)
    assert played.seeds(pairing) == "1"


def test_no_game_begins_after_the_time(ladder: ModuleType, tmp_path: Path) -> None:
    played = ladder.Ladder(tmp_path / "results.jsonl")
    pairing = ladder.Pairing("a", "random", "random")
    ladder.run(played, (pairing,), 20, deadline=0.0)
    assert played.games(pairing) == []


def test_every_player_can_play_and_times_are_scaled(ladder: ModuleType) -> None:
    for pairing in ladder.chosen(None):
        short = pairing.scaled(0.1)
        for text, scaled in ((pairing.first, short.first), (pairing.second, short.second)):
            before, after = (dict(players.specification(p).settings).get("seconds") for p in (text, scaled))
            assert (after is None) == (before is None)
            assert after is None or after == pytest.approx(before / 10)


def test_pairings_are_chosen_by_name_or_table(ladder: ModuleType) -> None:
    assert [pairing.name for pairing in ladder.chosen(["fitted-hand"])] == ["fitted-hand"]
    assert ladder.chosen(["floors"]) == ladder.FLOORS
    everything = ladder.chosen(None)
    assert everything[: len(ladder.FLOORS)] == ladder.FLOORS
    assert len({(pairing.first, pairing.second) for pairing in everything}) == len(everything)
    with pytest.raises(SystemExit, match="no pairing"):
        ladder.chosen(["tree-nobody"])


def test_games_can_be_spread_and_give_the_same(ladder: ModuleType, tmp_path: Path) -> None:
    pairing = ladder.Pairing("a", "random", "one-turn")
    one, two = ladder.Ladder(tmp_path / "one.jsonl"), ladder.Ladder(tmp_path / "two.jsonl")
    ladder.run(one, (pairing,), 8)
    ladder.run(two, (pairing,), 8, jobs=2)
    assert one.games(pairing) == two.games(pairing)


def test_a_tree_without_an_idea_is_a_player() -> None:
    query = {"id": 1, "position": "9/9/3b1w3/2w1b4/3bb4/4ww3/2w6/9/9 -", "nodes": 200, "seed": 1}
    answers = []
    for words in ([], ["carry=0"], ["explore=0"]):
        command = [sys.executable, str(ROOT / "bench" / "variant.py"), *words]
        done = subprocess.run(command, input=json.dumps(query) + "\n", capture_output=True, text=True, check=True)
        answer = json.loads(done.stdout)
        assert answer.pop("id") == 1
        assert sum(answer["black"].values()) == pytest.approx(1)
        answers.append(answer)
    plain = players.make(players.specification("tree:nodes=200")).ask(Position(query["position"]), 0, 1, bool)
    assert answers[0]["value"] == plain.value
    assert answers[1] != answers[0] != answers[2] != answers[1]


def test_the_tables_stand_in_the_page_as_the_results_say(ladder: ModuleType, tmp_path: Path) -> None:
    page = ladder.PAGE.read_text(encoding="utf-8")
    saved = ladder.Ladder(ladder.RESULTS)
    for name in ladder.TABLES:
        assert ladder.replaced(page, name, ladder.table(saved, name)) == page
        assert f"<!-- {name}: begin -->\nNEW\n<!-- {name}: end -->\n" in ladder.replaced(page, name, "NEW")
        assert f"--only {name}" in ladder.table(ladder.Ladder(tmp_path / "none"), name)
    with pytest.raises(SystemExit, match="expected the markers"):
        ladder.replaced("no markers", "ladder", "NEW")
