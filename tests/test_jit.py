"""Compiled code: what its cache keeps, when it must be made anew, and interrupts while it is made."""

import os
import signal
import subprocess
import sys

import pytest


def run(*args, **env):
    return subprocess.run(
        [sys.executable, *args], capture_output=True, text=True, timeout=120, env={**os.environ, **env}, check=False
    )


def test_numba_is_loaded_only_by_a_search():
    code = (
        "import sys, wts_fast; from wts_fast import analysis, matrix; wts_fast.analyze; p = wts_fast.Position;"
        "analysis.analyze(p('9/9/9/9/bbbbb4/9/9/9/9 -')); assert 'numba' not in sys.modules;"
        "analysis.analyze(p(), nodes=1); assert 'numba' in sys.modules; assert 'rich' not in sys.modules"
    )
    done = run("-c", code)
    assert done.returncode == 0, done.stderr


# A module of its own, so that the tests compile one small function instead of the search.
_SMALL = """
import sys, numpy as np
from wts_fast import _jit, _bridge
if len(sys.argv) > 1:
    _jit.STAMP = sys.argv[1]
turn = _bridge.turn
@_jit.jit
def play(words, black, white):
    turn(words.ctypes, np.int32(black), np.int32(white))
from wts_fast._kernel import Position
words = _bridge.state_words(Position())
play(words, 40, 43)
assert words.tobytes() == Position().play(40, 43).to_bytes()
print("hits", sum(play.stats.cache_hits.values()))
"""


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "code" / "small.py"
    path.parent.mkdir()
    path.write_text(_SMALL)
    return path


def test_the_kernel_is_reached_from_cached_code_in_another_process(small, tmp_path):
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    for hits in (0, 1):
        done = run(str(small), **cache)
        assert (done.stdout, done.stderr) == (f"hits {hits}\n", "")
    # Another stamp (a changed source, another numba or kernel): the old code is not taken.
    assert run(str(small), "other", **cache).stdout == "hits 0\n"
    # A damaged cache costs time, and one line.
    for file in (tmp_path / "cache").rglob("*.nb[ic]"):
        file.write_bytes(file.read_bytes()[:40])
    done = run(str(small), **cache)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "hits 0\n"
    assert done.stderr.count("\n") == 1
    assert "NUMBA_CACHE_DIR" in done.stderr


def test_a_cache_folder_that_cannot_be_written_costs_one_line(small):
    # Not by permissions, which do not stop root: nothing can be made below a file.
    (small.parent / "__pycache__").write_text("")
    nowhere = "/dev/null/nowhere"
    done = run(str(small), NUMBA_CACHE_DIR=nowhere, HOME=nowhere, XDG_CACHE_HOME=nowhere)
    assert (done.returncode, done.stdout) == (0, "hits 0\n")
    assert done.stderr.count("\n") == 1
    assert "NUMBA_CACHE_DIR" in done.stderr


def test_the_stamp_covers_every_jitted_source(tmp_path):
    from pathlib import Path

    from wts_fast import _jit

    package = Path(_jit.__file__).parent
    jitted = {p.name for p in package.rglob("*.py") if "@jit\n" in p.read_text(encoding="utf-8")}
    assert jitted <= set(_jit.SOURCES)
    for name in _jit.SOURCES:
        (tmp_path / name).write_bytes((package / name).read_bytes())
    assert _jit.source_stamp(tmp_path) == _jit.STAMP
    for name in _jit.SOURCES:
        text = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(text + b"#")
        assert _jit.source_stamp(tmp_path) != _jit.STAMP
        (tmp_path / name).write_bytes(text)


def test_symbols_carry_the_abi_number():
    import llvmlite.binding as llvm

    from wts_fast import _bridge, _kernel

    assert str(_kernel.ABI) in _bridge.PREFIX
    for name in ("wts_turn", "wts_playout"):
        assert llvm.address_of_symbol(_bridge.PREFIX + name)
    with pytest.raises(ImportError, match="install the package again"):
        _bridge._register("wts_turn", "void (void *, int)")


def test_ctrl_c_where_llvm_drops_exceptions_is_not_lost():
    from wts_fast._jit import compiling

    reached = []

    def _dispose():
        os.kill(os.getpid(), signal.SIGINT)
        reached.append(1)

    def interrupted():
        os.kill(os.getpid(), signal.SIGINT)

    def compile_with(step):
        with compiling():
            step()
            reached.append(2)

    with pytest.raises(KeyboardInterrupt):
        compile_with(_dispose)
    assert reached == [1, 2]
    with pytest.raises(KeyboardInterrupt):
        compile_with(interrupted)
    assert reached == [1, 2]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with compiling():
        pass  # nothing is left over
