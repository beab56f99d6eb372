"""The site is built without a warning, and what its pages show is so: sessions, commands, links and the notebook."""

from __future__ import annotations

import argparse
import doctest
import importlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from test_readme import run

import wts_fast as wts
from wts_fast.cli import VERBS

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
HERE = os.environ | {"PYTHONPATH": str(Path(wts.__file__).parents[1])}

pages = pytest.mark.parametrize("page", PAGES, ids=lambda path: path.relative_to(DOCS).as_posix())


def blocks(page: Path, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages, built as `.ci/run` builds them."""
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-d", str(out / "trees")]
    done = subprocess.run(
        [*command, str(DOCS), str(out / "html")], env=HERE, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return out / "html"


def test_every_page_is_built_and_reached(site: Path) -> None:
    """A page that no other leads to would be a warning; here the pages are there, and the search knows them."""
    for page in PAGES:
        assert (site / page.relative_to(DOCS).with_suffix(".html")).is_file()
    index = (site / "index.html").read_text(encoding="utf-8")
    for title in ("For players", "For authors of apps", "For researchers", "Reference", "Changes"):
        assert title in index


def test_the_reference_has_every_public_name(site: Path) -> None:
    shown = " ".join(page.read_text(encoding="utf-8") for page in (site / "api").glob("*.html"))
    anchors = set(re.findall(r'id="([\w.-]+)"', shown))
    for name in set(wts.__all__) - {"__version__"}:
        value = getattr(wts, name)
        where = {f"wts_fast.{name}", f"module-wts_fast.{name}", f"{getattr(value, '__module__', '')}.{name}"}
        assert where & anchors, f"{name} is missing"
    for name in ("wts_fast.Position.explain", "wts_fast.matrix.solve", "wts_fast.errors.ParseError"):
        assert name in anchors


def test_a_page_loads_nothing_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img|iframe|source)[^>]*?\bsrc=\"([^\"]+)\"", text)
        loaded += re.findall(r"<link[^>]*?rel=\"(?:stylesheet|preload|icon)\"[^>]*?href=\"([^\"]+)\"", text)
        assert [link for link in loaded if re.match(r"(https?:)?//", link)] == []


@pages
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text)]
    outside = ("http:", "https:", "mailto:")
    assert [t for t in targets if t and not t.startswith(outside) and not (page.parent / t).exists()] == []


@pages
def test_the_python_sessions_give_what_is_shown(page: Path) -> None:
    text = "\n".join(blocks(page, "pycon"))
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.FAIL_FAST).run(test, out=report.append)
    assert result.failed == 0, "".join(report)


SESSIONS = [
    (page.name, command, output)
    for page in PAGES
    for block in blocks(page, "console")
    for command, output in re.findall(r"^\$ (\.venv/bin/.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
]


@pytest.mark.parametrize(("page", "command", "shown"), SESSIONS, ids=[f"{p}: {c[:40]}" for p, c, _ in SESSIONS])
def test_the_commands_print_what_is_shown(page: str, command: str, shown: str) -> None:
    done = run(command, ROOT)
    assert done.returncode == 0, done.stderr
    assert [line.rstrip() for line in done.stdout.splitlines()] == shown.rstrip("\n").splitlines()


def commands(page: Path) -> list[str]:
    lines = "\n".join([*blocks(page, "sh"), *blocks(page, "console"), *blocks(page, "bash")]).replace("\\\n", " ")
    return [line.removeprefix("$ ") for line in lines.splitlines() if line.removeprefix("$ ").startswith("wts-fast ")]


@pages
def test_the_commands_of_a_page_are_taken(page: Path) -> None:
    """Each has a verb and options that there are, and values that they take."""
    for line in commands(page):
        verb, *arguments = shlex.split(line, comments=True)[1:]
        if verb.startswith("-"):
            continue
        assert verb in VERBS, line
        parser = argparse.ArgumentParser(exit_on_error=False, allow_abbrev=False)
        importlib.import_module(f"wts_fast.cli.{verb}").add_arguments(parser)
        ends = [n for n, word in enumerate(arguments) if word in ("|", ">", "<", "&&", "&")]
        parser.parse_args(arguments[: ends[0]] if ends else arguments)


# --- the notebook


def printed(notebook: dict[str, Any]) -> list[list[str]]:
    """What each cell prints, and the kinds of what it shows."""
    found = []
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        shown = [""]  # first what was printed, which comes in pieces
        for output in cell["outputs"]:
            if output["output_type"] == "stream":
                assert output["name"] == "stdout", output
                shown[0] += "".join(output["text"])
            else:
                assert output["output_type"] == "execute_result", output
                pictures = [kind for kind in output["data"] if kind == "image/svg+xml"]
                shown += pictures or ["".join(output["data"]["text/plain"])]
        found.append(shown)
    return found


def test_the_notebook_gives_what_it_shows(tmp_path: Path) -> None:
    """Every cell, run from top to bottom, in a process of its own."""
    path = DOCS / "notebook.ipynb"
    before = json.loads(path.read_text(encoding="utf-8"))
    assert [cell["execution_count"] for cell in before["cells"] if cell["cell_type"] == "code"] == list(
        range(1, 1 + sum(cell["cell_type"] == "code" for cell in before["cells"]))
    )
    # A process, since the clients of Jupyter leave loops and sockets to the collector, which counts as an error here.
    script = (
        "import sys, nbformat\n"
        "from jupyter_client.manager import AsyncKernelManager\n"
        "from nbclient import NotebookClient\n"
        "notebook = nbformat.read(sys.argv[1], 4)\n"
        "kernel = AsyncKernelManager(kernel_name='python3', transport='ipc', ip=sys.argv[3] + '/k')\n"
        "resources = {'metadata': {'path': sys.argv[4]}}\n"
        "NotebookClient(notebook, km=kernel, timeout=300, resources=resources).execute()\n"
        "nbformat.write(notebook, sys.argv[2])\n"
    )
    with tempfile.TemporaryDirectory(prefix="wts") as sockets:  # their paths have to be short
        done = subprocess.run(
            [sys.executable, "-c", script, str(path), str(tmp_path / "ran.ipynb"), sockets, str(DOCS)],
            env=HERE,
            capture_output=True,
            text=True,
            timeout=400,
        )
    assert done.returncode == 0, done.stderr
    after = json.loads((tmp_path / "ran.ipynb").read_text(encoding="utf-8"))
    assert printed(after) == printed(before)
