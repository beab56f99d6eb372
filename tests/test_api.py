"""The public names: complete, lazy, and as the contract promises."""

from __future__ import annotations

import importlib
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import wts_fast as wts
from wts_fast.cli import VERBS

HEAVY = ("numpy", "numba", "llvmlite", "scipy", "rich", "matplotlib")


def run_python(code: str, cwd: Path) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=cwd, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_every_public_name_is_there() -> None:
    missing = [name for name in wts.__all__ if getattr(wts, name, None) is None]
    assert missing == []
    assert sorted(wts.__all__) == wts.__all__
    assert set(wts.__all__) <= set(dir(wts))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="solv_e"):
        _ = wts.solv_e
    with pytest.raises(ImportError):
        exec("from wts_fast import nothing_of_that_name")


def test_star_import_gives_the_public_names(tmp_path: Path) -> None:
    code = "from wts_fast import *; import wts_fast; print(all(n in globals() for n in wts_fast.__all__))"
    assert run_python(code, tmp_path) == "True"


@pytest.mark.parametrize(
    "code",
    [
        "import wts_fast",
        "import wts_fast.oracle; wts_fast.oracle.Position().play('E5', 'H5')",
        "import wts_fast; wts_fast.Position().play('E5', 'H5').explain('A1', 'A1')",
        "import wts_fast; wts_fast.Outcome; wts_fast.errors.WtsError; wts_fast.Game",
        "import wts_fast.cli; wts_fast.cli.main(['show', 'start'])",
        "import wts_fast.protocol.loop; import wts_fast; wts_fast.EngineClient",
        *(f"import wts_fast.cli.{verb}" for verb in VERBS),
    ],
)
def test_nothing_heavy_is_loaded_before_it_is_used(code: str, tmp_path: Path) -> None:
    loaded = run_python(f"{code}\nimport sys; print('|', *(m for m in {HEAVY!r} if m in sys.modules))", tmp_path)
    assert loaded.rpartition("|")[2] == ""


def test_the_oracle_needs_no_compiled_code(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['wts_fast._kernel'] = None\n"
        "import wts_fast.oracle as o\n"
        "print(o.Position().play('E5', 'E5'))\n"
        "import wts_fast\n"
        "try: wts_fast.Position\n"
        "except ImportError as error: print('refused')\n"
    )
    out = run_python(code, tmp_path).splitlines()
    # No silent fallback: the quick name never means the slow engine.
    assert out == ["9/9/9/9/4e4/9/9/9/9 E5", "refused"]


@pytest.mark.parametrize("text", ["9/9/9/9/9/9/9/9/9 -", "9/9/9/9/3be3w/9/2e6/9/9 E5,C3"])
@pytest.mark.parametrize("home", ["wts", "oracle"])
def test_repr_evaluates_to_an_equal_value(text: str, home: str) -> None:
    position = (wts if home == "wts" else wts.oracle).Position(text)
    namespace = {"Position": type(position)}
    again = eval(repr(position), namespace)
    assert again == position
    assert type(again) is type(position)
    assert str(again) == text


def test_the_version_is_one() -> None:
    from importlib.metadata import version

    assert wts.__version__ == version("wts_fast")


def test_all_of_every_module_exists() -> None:
    missing = []
    for info in pkgutil.walk_packages(wts.__path__, "wts_fast."):
        if info.name.endswith("__main__"):
            continue
        module = importlib.import_module(info.name)
        missing += [f"{info.name}.{name}" for name in getattr(module, "__all__", []) if not hasattr(module, name)]
    assert missing == []


def test_stubs_match_the_running_package() -> None:
    root = Path(__file__).resolve().parents[1]
    options = ["--mypy-config-file", "pyproject.toml", "--allowlist", ".ci/stubtest-allow.txt"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "wts_fast", *options],
        env=os.environ | {"MYPYPATH": str(Path(wts.__file__).parents[1])},
        cwd=root,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
