"""Build the compiled kernel; everything else about the package stands in pyproject.toml.

Switches, read from the environment (set to 1): WTS_DEBUG (no optimisation, kernel checks on), WTS_SANITIZE (address
and undefined-behaviour sanitizers), WTS_NATIVE (-march=native, only for the machine that builds; off by default
because a wheel must run on any processor of its family).
"""

import os
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

KERNEL = "src/wts_fast"


def switch(name: str) -> bool:
    """Read one switch; anything but 0, 1 or nothing is refused rather than guessed at."""
    value = os.environ.get(name, "")
    if value not in ("", "0", "1"):
        sys.exit(f"{name}={value!r}: expected 0 or 1")
    return value == "1"


debug, sanitize, native = switch("WTS_DEBUG"), switch("WTS_SANITIZE"), switch("WTS_NATIVE")
link_flags = ["-fsanitize=address,undefined"] if sanitize else []
flags = ["-O0", "-g", "-DWTS_DEBUG=1"] if debug else ["-O1", "-g"] if sanitize else ["-O3", "-g0"]
flags += ["-fno-strict-aliasing", *(["-fno-omit-frame-pointer"] if sanitize else []), *link_flags]
flags += ["-march=native"] if native else []

# Object files are reused by their time stamps alone, so a change of flags has to touch a file they depend on.
stamp = Path("build/kernel-flags.txt")
text = " ".join(flags)
if not stamp.exists() or stamp.read_text(encoding="ascii") != text:
    stamp.parent.mkdir(exist_ok=True)
    stamp.write_text(text, encoding="ascii")

parts = sorted(path.as_posix() for path in Path(KERNEL).iterdir() if path.suffix in {".h", ".pxd"})
kernel = Extension(
    "wts_fast._kernel",
    [f"{KERNEL}/_kernel.pyx"],
    include_dirs=[KERNEL],
    depends=[*parts, stamp.as_posix()],
    define_macros=[("WTS_BUILD_FLAGS", f'"{text}"')],
    extra_compile_args=flags,
    extra_link_args=link_flags,
)
setup(
    ext_modules=cythonize(
        [kernel],
        include_path=["src"],
        build_dir="build/cython",
        compiler_directives={"language_level": 3, **({"boundscheck": True} if debug else {})},
        force=debug,
    )
)
