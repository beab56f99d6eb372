"""docs/protocol.md says what is so: its exchanges, its client, its Python session, and every field there is."""

import doctest
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from engine_process import LONG, EngineProcess
from test_protocol import FULL, MIDDLE, valid

from wts_fast.protocol import schema

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
REFERENCE = PAGE.partition("<!-- fields: begin -->")[2]


def blocks(kind):
    found = [text for name, text in BLOCKS if name == kind]
    assert found
    return found


def has(answer, shown):
    """Whether an answer has all that is shown of it, numbers up to what is left out of them."""
    if isinstance(shown, dict):
        return isinstance(answer, dict) and all(name in answer and has(answer[name], v) for name, v in shown.items())
    if isinstance(shown, float):
        return answer == pytest.approx(shown, abs=1e-5)
    return answer == shown


def test_the_exchanges_are_what_happens():
    with EngineProcess() as engine:
        for block in blocks("text"):
            for line in block.splitlines():
                mark, text = line[0], json.loads(line[2:].replace('"id": 3, "id": 4', '"id": 3'))
                if mark == "→":
                    engine.send(line[2:].encode() + b"\n")
                else:
                    answer = valid(engine.read())
                    assert has(answer, text), (answer, text)
        answers, status, _ = engine.end()
    assert (answers, status) == ([], 0)


def test_the_client_has_fifty_lines_at_most_and_works(tmp_path):
    (code,) = blocks("python")
    assert len(code.splitlines()) <= 50
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=LONG
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"(\d+ nodes, value [+-]\d\.\d\d, Black's best: [A-I][1-9] \d+%\n){2,}", done.stdout)


def test_the_python_session_gives_what_is_shown():
    test = doctest.DocTestParser().get_doctest("\n".join(blocks("pycon")), {}, "protocol.md", "protocol.md", 0)
    report = []
    assert doctest.DocTestRunner().run(test, out=report.append).failed == 0, "".join(report)


def test_the_reference_is_that_of_the_schema():
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import update_protocol
    finally:
        sys.path.remove(str(ROOT / "docs"))
    assert update_protocol.replaced(PAGE, update_protocol.reference()) == PAGE, "run docs/update_protocol.py"
    assert "### new" in update_protocol.replaced(PAGE, "### new")
    with pytest.raises(SystemExit):
        update_protocol.replaced("no markers", "")


def test_no_field_is_undocumented():
    for thing in [*schema.QUERIES.values(), *schema.REPLIES.values()]:
        for path, field in schema.walk(thing):
            assert f"| `{path}` |" in REFERENCE
            assert len(field.about) > 3


def paths(value, path=""):
    """The paths of all fields in an answer, as the reference writes them."""
    if isinstance(value, list):
        for item in value:
            yield from paths(item, f"{path}[]")
    elif isinstance(value, dict):
        for name, inner in value.items():
            # Squares and facts of a build are names of their own.
            if path not in ("black", "white", "kernel"):
                inside = f"{path}.{name}" if path else name
                yield inside
                yield from paths(inner, inside)


def test_the_fields_of_answers_are_those_documented():
    """All of them occur, and no others: `valid` refuses what the schema does not know."""
    seen = {kind: set() for kind in schema.REPLIES}
    with EngineProcess() as engine:
        for query in (
            FULL | {"position": MIDDLE, "nodes": 200},
            {"action": "info", "id": 1},
            {"action": "version", "id": 1},
            {"action": "stop", "id": 1},
            {"action": "stop_all", "id": 1},
            FULL | {"node": 1},
        ):
            answer = valid(engine.ask(query))
            seen[answer.get("action") or ("error" if "error" in answer else "analysis")].update(paths(answer))
    del seen["failure of one turn"]
    for kind, found in seen.items():
        assert found == {path for path, _ in schema.walk(schema.REPLIES[kind])}


def test_all_codes_are_documented():
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "wts_fast" / "protocol").glob("*.py"))
    used = set(re.findall(r'code="([a-z-]+)"', source)) | set(re.findall(r'", "([a-z-]+)", (?:path|inside)', source))
    assert used
    assert used <= set(schema.CODES)
    assert all(f"| `{code}` |" in REFERENCE for code in schema.CODES)
