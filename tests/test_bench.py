"""`wts-fast bench`: every layer is checked, a wrong result is a finding, and two runs can be compared."""

from __future__ import annotations

import copy
import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from wts_fast import layers, measure
from wts_fast.cli import bench, main
from wts_fast.engine import playouts
from wts_fast.errors import WtsError
from wts_fast.layers import Layer, Prepared, all_layers
from wts_fast.signature import format_signature, signature


@pytest.fixture(scope="module")
def report():
    return measure.measure(0.001, ["play", "step"]).as_dict()


def fake(name, result, expected, against=None):
    return Layer(name, "a test", "things", against, lambda: Prepared(lambda: (3, result), expected))


def use(monkeypatch, *chosen):
    monkeypatch.setattr(measure, "all_layers", lambda: (list(chosen), {"far": "it is far"}))


def test_a_report_says_where_when_and_what(report):
    assert report["signature"] == format_signature(signature())
    assert report["ok"] is True
    assert {"compiler", "flags", "isa", "isa_usable", "cython"} <= set(report["build"])
    assert {"wts_fast", "python", "numpy", "numba", "cython"} == set(report["versions"])
    assert report["processor"]
    assert report["date"].endswith("+00:00")
    assert json.loads(json.dumps(report, allow_nan=False)) == report


def test_a_layer_brings_the_one_it_is_compared_with(report):
    assert [layer["layer"] for layer in report["layers"]] == ["oracle", "play", "step"]
    oracle, play, step = report["layers"]
    assert (oracle["ratio"], play["against"], step["against"]) == (None, "oracle", "play")
    assert 0 < play["worst_ratio"] <= play["ratio"]


def test_speeds_are_work_by_time(report):
    for layer in report["layers"]:
        assert layer["repeats"] >= measure.MIN_ROUNDS
        assert math.isclose(layer["per_s"], layer["work"] / layer["median_s"])
        assert math.isclose(layer["best_per_s"], layer["work"] / layer["min_s"])
        assert layer["best_per_s"] >= layer["per_s"]


def test_the_oracle_plays_the_kernels_games():
    """Its expected counts come from the kernel; here the draws alone are looked at."""
    turns, result = layers._oracle().run()
    expected = playouts(n=20, seed=1)
    assert (turns, result) == (
        expected.turns,
        (expected.turns, expected.black, expected.white, expected.draws),
    )


def test_every_path_is_a_layer_or_left_out():
    found, left_out = all_layers()
    names = {layer.name for layer in found} | set(left_out)
    assert {"playouts-base", "playouts-avx2", "playouts-avx512", "playouts-2-threads"} <= names
    assert all(layer.against is None or layer.against in {other.name for other in found} for layer in found)
    assert len({layer.name for layer in found}) == len(found)


def test_a_wrong_result_is_a_finding(monkeypatch, capsys):
    use(monkeypatch, fake("good", 1, 1), fake("bad", 1, 2, against="good"))
    assert main(["bench", "--seconds", "0.001"]) == 1
    out = capsys.readouterr().out
    assert "wrong result: bad gave 1, not 2" in out
    assert "1 of 2 wrong" in out
    assert main(["bench", "--seconds", "0.001", "--json"]) == 1
    assert [layer["ok"] for layer in json.loads(capsys.readouterr().out)["layers"]] == [True, False]


def test_a_result_that_goes_wrong_later_is_a_finding(monkeypatch):
    answers = iter([5, 5, 6, 5, 5, 5])
    use(monkeypatch, Layer("turns", "a test", "things", None, lambda: Prepared(lambda: (1, next(answers)), 5)))
    report = measure.measure(1e-9)
    assert not report.ok
    assert report.measurements[0].problem == "gave 6, not 5"


def test_ctrl_c_keeps_the_complete_rounds(monkeypatch, capsys):
    runs = []

    def run():
        runs.append(1)
        if len(runs) == 6:  # the warm one, and four rounds
            raise KeyboardInterrupt
        return 1, 0

    use(monkeypatch, fake("first", 1, 1), Layer("second", "a test", "things", None, lambda: Prepared(run, 0)))
    assert main(["bench", "--seconds", "600", "--json"]) == 130
    data = json.loads(capsys.readouterr().out)
    assert data["interrupted"] is True
    assert [layer["repeats"] for layer in data["layers"]] == [4, 4]


def test_names_that_are_no_layers_are_refused(monkeypatch, capsys):
    with pytest.raises(WtsError, match="no layer 'nothing'") as caught:
        measure.measure(1.0, ["nothing"])
    assert (caught.value.code, caught.value.field) == ("layer", "only")
    use(monkeypatch, fake("near", 1, 1))
    assert main(["bench", "--only", "far"]) == 2
    assert "far is left out here: it is far" in capsys.readouterr().err


def test_the_table_has_a_header_and_a_line_a_layer(report):
    lines = bench.table(report).splitlines()
    assert lines[0].startswith("wts_fast ")
    head = next(i for i, line in enumerate(lines) if line.startswith("layer "))
    assert [line.split()[0] for line in lines[head + 1 : head + 4]] == ["oracle", "play", "step"]
    assert all(line.isascii() for line in lines)
    assert lines[-1] == "every result is what it must be"
    assert f"signature   {report['signature']}" in lines


def test_a_build_that_is_not_optimised_is_named(report):
    assert "not for publication" in bench.table({**report, "optimised": False})
    assert ("not for publication" in bench.table(report)) is not report["optimised"]


@pytest.mark.parametrize("arguments", [["--signature"], ["--signature", "--json"]])
def test_the_signature_alone(arguments, capsys):
    assert main(["bench", *arguments]) == 0
    out = capsys.readouterr().out.strip()
    assert (json.loads(out)["signature"] if "--json" in arguments else out) == format_signature(signature())


@pytest.fixture
def runs(report, tmp_path):
    """Two files: a report, and one of twice the speed but for one layer."""
    after = copy.deepcopy(report)
    for layer in after["layers"]:
        factor = 0.5 if layer["layer"] == "step" else 2.0
        layer["per_s"] *= factor
        layer["best_per_s"] *= factor

    def write(name, data):
        path = tmp_path / name
        path.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
        return str(path)

    return write, report, after


def test_two_runs_are_compared_by_ratio(runs, capsys):
    write, before, after = runs
    paths = write("a.json", before), write("b.json", after)
    assert main(["bench", "--compare", *paths, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert {name: round(row["ratio"], 9) for name, row in result["layers"].items()} == {
        "oracle": 2.0,
        "play": 2.0,
        "step": 0.5,
    }
    assert round(result["layers"]["step"]["beside_oracle"], 9) == 0.25
    assert main(["bench", "--compare", *paths]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "no finding"


def test_a_layer_that_lost_too_much_is_a_finding(runs, capsys):
    write, before, after = runs
    paths = write("a.json", before), write("b.json", after)
    assert main(["bench", "--compare", *paths, "--fail", "49%"]) == 1
    assert "step lost 50.0 %" in capsys.readouterr().out
    assert main(["bench", "--compare", *paths, "--fail", "51"]) == 0


def test_runs_that_play_differently_are_a_finding(runs, capsys):
    write, before, after = runs
    after["signature"] = "0" * 16
    assert main(["bench", "--compare", write("a.json", before), write("b.json", after)]) == 1
    assert "they play differently" in capsys.readouterr().out


def test_a_wrong_result_in_a_compared_run_is_a_finding(runs, capsys):
    write, before, after = runs
    before["layers"][1]["ok"] = False
    after["processor"] = "another"
    assert main(["bench", "--compare", write("a.json", before), write("b.json", after)]) == 1
    out = capsys.readouterr().out
    assert "a wrong result before: play" in out
    assert "another processor" in out


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "[" * 100_000,
        '{"signature": NaN}',
        '{"signature": 5, "processor": "", "build": {}, "layers": []}',
    ],
    ids=["empty", "list", "object", "deep", "nan", "type"],
)
def test_a_file_that_is_no_report_is_refused(runs, text, capsys):
    write, before, _ = runs
    assert main(["bench", "--compare", write("a.json", before), write("bad.json", text)]) == 2
    err = capsys.readouterr().err
    assert "no report of bench --json" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("speed", [0.0, -1.0, "fast", None, True])
def test_a_report_with_impossible_speeds_is_refused(runs, speed, capsys):
    write, before, after = runs
    after["layers"][0]["per_s"] = speed
    assert main(["bench", "--compare", write("a.json", before), write("b.json", after)]) == 2
    assert "no positive number" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--seconds", "0"],
        ["--seconds", "nan"],
        ["--seconds", "１"],
        ["--fail", "3"],
        ["--compare", "a"],
        ["--compare", "a", "b", "--fail", "101"],
        ["--compare", "a", "b", "--fail", "-1"],
        ["--compare", "a", "b", "--signature"],
        ["--compare", "missing.json", "missing.json"],
        ["--only", ""],
    ],
)
def test_bad_usage_is_status_2_and_one_line(arguments, capsys):
    assert main(["bench", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    assert captured.out == ""


@pytest.mark.parametrize(
    ("number", "text"),
    [(141_700_000, "142 M"), (2_051_000.0, "2.05 M"), (14_880.0, "14.9 k"), (9.5, "9.50"), (3e9, "3.00 G")],
)
def test_speeds_have_three_digits(number, text):
    assert bench._amount(number) == text


def test_the_pairs_of_the_yardstick_are_of_equal_games():
    """Both sides play the same games, so their checksums are compared before a ratio is told."""
    script = Path(__file__).parents[1] / "bench" / "yardstick.py"
    command = [sys.executable, str(script), "--threads", "2", "--pairs", "7", "--games", "20000", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    result = json.loads(done.stdout)
    assert len(result["pairs"]) == 7
    ratios = sorted(pair["ours"]["by_clock"] / pair["other"]["by_clock"] for pair in result["pairs"])
    assert result["by_clock"] == {"min": ratios[0], "median": ratios[3], "max": ratios[-1]}
