"""Imports point down only: the house of CONTRIBUTING.md, read from the sources."""

from __future__ import annotations

import ast
import graphlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "wts_fast"

#: From the ground up. A module may import what stands on a lower floor, and its neighbours on its own where
#: NEIGHBOURS says so; `wts_fast` itself (the door) and `__main__` stand on the roof.
FLOORS: list[set[str]] = [
    {"squares", "errors", "state", "files"},
    {"notation", "oracle", "oracle_solve", "draw", "conformance", "commitment"},
    {"_kernel", "engine", "_jit", "_bridge", "_random_jit", "matrix", "_matrix_jit", "_double_jit", "evaluation"},
    {"note", "record", "game", "limits", "search", "flat", "_flat_jit", "tree", "_tree_jit", "_node_jit", "methods"}
    | {"symmetry", "_symmetry_jit", "tree_search"}
    | {"tutorial", "training", "_training_jit", "mcts", "_mcts_jit", "_learners_jit"},
    {"analysis", "solver", "_solve_jit", "fuzz", "perft", "signature", "layers", "measure", "match"}
    | {"threats", "words", "review", "protocol", "client"}
    | {"levels"},
    {"serve"},
    {"cli"},
]
NEIGHBOURS = {
    ("squares", "errors"),
    ("state", "squares"),
    ("oracle", "notation"),
    ("oracle", "draw"),
    ("oracle_solve", "oracle"),
    ("draw", "notation"),
    ("engine", "_kernel"),
    ("evaluation", "_kernel"),
    ("matrix", "_matrix_jit"),
    ("_jit", "_kernel"),
    ("_bridge", "_kernel"),
    ("_bridge", "_jit"),
    ("_bridge", "engine"),
    ("_matrix_jit", "_jit"),
    ("_random_jit", "_jit"),
    ("_double_jit", "_jit"),
    ("_double_jit", "_matrix_jit"),
    ("record", "note"),
    ("game", "note"),
    ("record", "note"),
    ("game", "record"),
    ("game", "note"),
    ("training", "_training_jit"),
    ("flat", "search"),
    ("flat", "_flat_jit"),
    ("methods", "search"),
    ("methods", "flat"),
    ("methods", "mcts"),
    ("mcts", "search"),
    ("mcts", "_mcts_jit"),
    ("mcts", "_learners_jit"),
    ("mcts", "_flat_jit"),
    ("_mcts_jit", "_learners_jit"),
    ("methods", "tree_search"),
    ("tree_search", "tree"),
    ("tree_search", "search"),
    ("tree", "search"),
    ("tree", "symmetry"),
    ("_symmetry_jit", "symmetry"),
    ("words", "analysis"),
    ("words", "solver"),
    ("tree", "_tree_jit"),
    ("tree", "_node_jit"),
    ("_tree_jit", "_node_jit"),
    ("solver", "_solve_jit"),
    ("layers", "analysis"),
    ("layers", "signature"),
    ("match", "analysis"),
    ("match", "levels"),
    ("levels", "analysis"),
    ("measure", "layers"),
    ("words", "threats"),
    ("review", "analysis"),
    ("review", "threats"),
    ("measure", "signature"),
    ("protocol", "analysis"),
    ("client", "analysis"),
    ("client", "protocol"),
}
#: The two implementations of the rules know names of things from one another's ground floor, and nothing else.
APART = [("oracle", "_kernel"), ("_kernel", "oracle")]


def floor_of(module: str) -> int:
    for height, names in enumerate(FLOORS):
        if module in names:
            return height
    raise AssertionError(
        f"wts_fast.{module} stands on no floor: add it to FLOORS here and to the map of CONTRIBUTING.md"
    )


def own_module(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py").removesuffix(".pyi")


def imported(path: Path) -> set[str]:
    """The modules of this package (first name below wts_fast) that a file imports, also inside functions."""
    depth = len(path.relative_to(PACKAGE).parts)  # how many dots lead to wts_fast
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [a.name.removeprefix("wts_fast.") for a in node.names if a.name.startswith("wts_fast.")]
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").split(".")[0] == "wts_fast":
            inside = (node.module or "").removeprefix("wts_fast").lstrip(".")
            names = [inside] if inside else [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == depth:
            names = [node.module] if node.module else [a.name for a in node.names]
        found |= {name.split(".")[0] for name in names}
    return found - {"__version__"}


SOURCES = sorted(path for suffix in ("*.py", "*.pyi") for path in PACKAGE.rglob(suffix))
MODULES = [path for path in SOURCES if path.parent != PACKAGE or not path.name.startswith("__")]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_point_down(path: Path) -> None:
    own = own_module(path)
    for other in sorted(imported(path) - {own}):
        below = floor_of(other) < floor_of(own)
        assert below or (own, other) in NEIGHBOURS, f"{own} may not import {other}"


@pytest.mark.parametrize(("one", "other"), APART)
def test_the_two_engines_never_meet(one: str, other: str) -> None:
    paths = [path for path in MODULES if own_module(path) == one]
    assert paths
    assert all(other not in imported(path) for path in paths)


def test_the_native_half_imports_only_the_ground_floor() -> None:
    """The kernel's Python-level imports, read as text: Cython sources are no Python that `ast` could read."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "src").rglob("*.p[xy][xdi]*")))
    lines = [line.split() for line in text.splitlines() if "import" in line and "wts_fast" in line]
    modules = {words[1].removeprefix("wts_fast.").split(".")[0] for words in lines if words[0] in ("from", "import")}
    allowed = set().union(*FLOORS[:2]) - {"oracle"}
    assert modules
    assert modules <= allowed


def test_neighbours_never_form_a_ring() -> None:
    order: graphlib.TopologicalSorter[str] = graphlib.TopologicalSorter()
    for upper, lower in NEIGHBOURS:
        order.add(upper, lower)
    assert len(list(order.static_order())) == len({name for pair in NEIGHBOURS for name in pair})


def test_no_python_stands_under_src() -> None:
    """setuptools would take src/ for the package root, and a wheel without Python files would be the result."""
    assert [path.name for path in (ROOT / "src").rglob("*.py")] == []


def test_the_map_of_the_house_names_every_module() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    native = sorted((ROOT / "src").rglob("*.*"))
    names = [path.name for path in [*MODULES, *native] if path.name != "__init__.py"]
    assert [name for name in names if f"`{name}`" not in text] == []


def test_every_public_module_lists_its_names() -> None:
    missing = [
        path.relative_to(PACKAGE).as_posix()
        for path in SOURCES
        if path.suffix == ".py" and path.parent == PACKAGE and not path.name.startswith("_")
        if "\n__all__ = " not in path.read_text(encoding="utf-8")
    ]
    assert missing == []
