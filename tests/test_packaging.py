"""What a stranger installs: the sdist builds, the wheel holds what it should, and runs far from the sources."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the sdist from the tracked files, and the wheel from that sdist, once for all tests."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True
    )
    # Outside a git checkout (from an sdist, say) the folder itself holds nothing but sources and what they built.
    names = listing.stdout.decode().split("\0") if listing.returncode == 0 else None
    if names is None:
        shutil.copytree(ROOT, source, dirs_exist_ok=True, ignore=shutil.ignore_patterns("build", "*.so", ".venv"))
    else:
        for name in filter(None, names):
            if (ROOT / name).is_file():
                (source / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, source / name)
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(source)]
    done = subprocess.run(command, cwd=out, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return out


@pytest.fixture(scope="session")
def wheel_names(dist: Path) -> list[str]:
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        return archive.namelist()


@pytest.fixture(scope="session")
def installed(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, installed where nothing else of ours is."""
    target = tmp_path_factory.mktemp("installed")
    (wheel,) = dist.glob("*.whl")
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        "--target",
        str(target),
        str(wheel),
    ]
    subprocess.run(command, check=True, timeout=300)
    return target


def run_installed(installed: Path, empty: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {
        "PYTHONPATH": str(installed),
        "PYTHONSAFEPATH": "1",
        "NUMBA_CACHE_DIR": str(empty / "numba"),
    }
    return subprocess.run(
        [sys.executable, *arguments], cwd=empty, env=environment, capture_output=True, text=True, timeout=300
    )


def test_the_wheel_holds_every_python_file(wheel_names: list[str]) -> None:
    expected = {
        path.relative_to(ROOT).as_posix() for path in (ROOT / "wts_fast").rglob("*") if path.suffix in (".py", ".pyi")
    }
    page = ROOT / "wts_fast" / "serve" / "static"
    expected |= {path.relative_to(ROOT).as_posix() for path in page.rglob("*") if path.is_file()}
    assert expected
    assert expected - set(wheel_names) == set()
    assert "wts_fast/py.typed" in wheel_names
    assert "wts_fast/_kernel.pyi" in wheel_names
    packages = {path.parent.relative_to(ROOT).as_posix() for path in (ROOT / "wts_fast").rglob("*.py")}
    assert {f"{package}/__init__.py" for package in packages} <= set(wheel_names)
    assert "wts_fast/data/conformance.json" in wheel_names
    assert "wts_fast/data/weights.npz" in wheel_names


def test_the_wheel_holds_one_kernel(wheel_names: list[str]) -> None:
    assert len([name for name in wheel_names if name.endswith((".so", ".pyd"))]) == 1


def test_the_wheel_holds_nothing_else(wheel_names: list[str]) -> None:
    roots = {name.split("/")[0] for name in wheel_names}
    assert len(roots) == 2
    assert roots >= {"wts_fast"}
    extra = [n for n in wheel_names if n.endswith((".pyx", ".pxd", ".c", ".h", ".pyc")) or "test" in n.lower()]
    assert extra == []


def test_the_wheel_carries_licence_and_readme(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (metadata,) = [n for n in archive.namelist() if n.endswith(".dist-info/METADATA")]
        text = archive.read(metadata).decode()
        assert any(n.endswith("licenses/LICENSE") for n in archive.namelist())
    assert "License-Expression: MIT" in text
    assert "What the Shell" in text.partition("\n\n")[2]


def test_the_sdist_holds_sources_and_no_products(dist: Path) -> None:
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    sources = {
        path.relative_to(ROOT).as_posix() for path in (ROOT / "src").rglob("*") if path.suffix in (".pyx", ".pxd", ".h")
    }
    assert sources - names == set()
    assert {"setup.py", "pyproject.toml", "LICENSE", "README.md", "RULES.md", "tests/conftest.py"} - names == set()
    assert [name for name in names if name.endswith((".c", ".so", ".pyc")) or name.startswith("build/")] == []


def test_the_installed_wheel_runs_from_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    done = run_installed(installed, tmp_path, "-c", "import wts_fast._kernel as k; print(k.__file__)")
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(installed)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--version"],
        ["--help"],
        ["show", "start"],
        ["doctor"],
        ["perft", "--help"],
        ["serve", "--help"],
        ["analyze", "start", "--seconds", "0.2", "--seed", "1", "--json"],
    ],
    ids=" ".join,
)
def test_the_installed_command_works(installed: Path, tmp_path: Path, arguments: list[str]) -> None:
    done = run_installed(installed, tmp_path, "-m", "wts_fast", *arguments)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert "Traceback" not in done.stderr
