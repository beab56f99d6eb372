"""Measuring: the layers of `layers` run in turns, so that ratios are of times taken side by side."""

from __future__ import annotations

import gc
import math
import os
import platform
import statistics
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

from . import __version__, _kernel
from .errors import WtsError
from .layers import Layer, Prepared, all_layers
from .signature import format_signature, signature

__all__ = ["MIN_ROUNDS", "Measurement", "Report", "machine", "measure", "processor"]

MIN_ROUNDS = 3


@dataclass
class Measurement:
    """What one layer came to.

    Attributes
    ----------
    layer : Layer
    work : int
        Units of work in one repeat, as `layer.unit` says.
    times : list of float
        Seconds of every repeat.
    ratios, worst_ratio : float or None
        Speed over that of the layer `layer.against`, of times taken in the same round: the median, and the least.
    problem : str or None
        What was wrong with a repeat's result.
    """

    layer: Layer
    work: int = 0
    times: list[float] = field(default_factory=list)
    ratio: float | None = None
    worst_ratio: float | None = None
    problem: str | None = None

    def repeat(self, prepared: Prepared) -> None:
        """Run the layer once more, take its time and look at its result."""
        start = time.perf_counter()
        work, result = prepared.run()
        self.times.append(time.perf_counter() - start)
        self.check(work, result, prepared)

    def check(self, work: int, result: object, prepared: Prepared) -> None:
        """Note what is wrong with a result; the first problem stays."""
        if self.problem is None and result != prepared.expected:
            self.problem = f"gave {str(result)[:80]}, not {str(prepared.expected)[:80]}"
        if self.problem is None and self.work not in (0, work):
            self.problem = f"did {work} {self.layer.unit}, and {self.work} before"
        self.work = work

    @property
    def per_s(self) -> float:
        """Units of work in a second, by the median repeat."""
        return self.work / statistics.median(self.times)

    @property
    def best_per_s(self) -> float:
        """Units of work in a second, by the quickest repeat."""
        return self.work / min(self.times)

    def as_dict(self) -> dict[str, Any]:
        """Return the measurement as a dict of JSON values."""
        return {
            "layer": self.layer.name,
            "what": self.layer.what,
            "unit": self.layer.unit,
            "work": self.work,
            "repeats": len(self.times),
            "min_s": min(self.times),
            "median_s": statistics.median(self.times),
            "per_s": self.per_s,
            "best_per_s": self.best_per_s,
            "against": self.layer.against,
            "ratio": self.ratio,
            "worst_ratio": self.worst_ratio,
            "ok": self.problem is None,
            "problem": self.problem,
        }


@dataclass
class Report:
    """A whole run: where, when, what, and what was wrong."""

    measurements: list[Measurement]
    signature: str
    seconds: float
    interrupted: bool = False
    left_out: dict[str, str] = field(default_factory=dict)
    machine: dict[str, Any] = field(default_factory=dict)
    date: str = ""

    @property
    def ok(self) -> bool:
        """Whether every result was what it had to be."""
        return all(m.problem is None for m in self.measurements)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as a dict of JSON values."""
        return {
            "ok": self.ok,
            "date": self.date,
            "signature": self.signature,
            **self.machine,
            "seconds": self.seconds,
            "interrupted": self.interrupted,
            "left_out": self.left_out,
            "layers": [m.as_dict() for m in self.measurements],
        }


def measure(seconds: float = 5.0, only: Iterable[str] | None = None) -> Report:
    """Measure the layers.

    Parameters
    ----------
    seconds : float
        About how long the timed rounds take together; there are `MIN_ROUNDS` at least.
    only : iterable of str, optional
        Names of layers; those that they are compared with are measured too. All if left out.

    Returns
    -------
    Report
        After Ctrl-C with the rounds that were complete, if there was one, and `interrupted` set.

    Raises
    ------
    WtsError
        If a name is none of a layer (code ``layer``).
    """
    layers, left_out = all_layers()
    measurements = [Measurement(layer) for layer in _chosen(layers, left_out, only)]
    number = format_signature(signature())
    prepared = [m.layer.prepare() for m in measurements]
    for measurement, ready in zip(measurements, prepared, strict=True):
        measurement.check(*ready.run(), ready)  # warm: caches filled, numba's code compiled
    start = time.perf_counter()
    rounds, interrupted = 0, False
    collecting = gc.isenabled()
    try:
        # A round more if half of it still fits.
        while rounds < MIN_ROUNDS or (time.perf_counter() - start) * (1 + 0.5 / rounds) < seconds:
            gc.collect()
            gc.disable()
            for measurement, ready in zip(measurements, prepared, strict=True):
                measurement.repeat(ready)
            rounds += 1
            if collecting:
                gc.enable()
    except KeyboardInterrupt:
        if not rounds:
            raise
        interrupted = True
    finally:
        if collecting:
            gc.enable()
    for measurement in measurements:
        del measurement.times[rounds:]
    _compare(measurements)
    return Report(
        measurements,
        number,
        seconds=time.perf_counter() - start,
        interrupted=interrupted,
        left_out=left_out,
        machine=machine(),
        date=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _chosen(layers: list[Layer], left_out: dict[str, str], only: Iterable[str] | None) -> list[Layer]:
    if only is None:
        return layers
    wanted = set(only)
    by_name = {layer.name: layer for layer in layers}
    for name in sorted(wanted):
        if name not in by_name:
            reason = f"{name} is left out here: {left_out[name]}" if name in left_out else f"no layer {name[:20]!r}"
            raise WtsError(f"{reason}; there are {', '.join(by_name)}", code="layer", field="only")
    while more := {by_name[n].against for n in wanted if by_name[n].against in by_name} - wanted:
        wanted |= {name for name in more if name is not None}
    return [layer for layer in layers if layer.name in wanted]


def _compare(measurements: list[Measurement]) -> None:
    by_name = {m.layer.name: m for m in measurements}
    for one in measurements:
        other = by_name.get(one.layer.against or "")
        if other is not None:
            ratios = [
                (one.work / time_one) / (other.work / time_other)
                for time_one, time_other in zip(one.times, other.times, strict=True)
            ]
            one.ratio, one.worst_ratio = statistics.median(ratios), min(ratios)
            if not math.isfinite(one.ratio):  # pragma: no cover
                raise WtsError("a repeat took no time at all", code="clock")


def machine() -> dict[str, Any]:
    """Return what figures depend on, as a dict of JSON values."""
    build = _kernel.build_info()
    return {
        "processor": processor(),
        "processors_usable": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "system": platform.platform(),
        "build": build,
        # Figures of such a build are about nothing that anyone would run.
        "optimised": "-O3" in build["flags"].split() and "sanitize" not in build["flags"],
        "versions": {
            "wts_fast": __version__,
            "python": platform.python_version(),
            **{name: metadata.version(name) for name in ("numpy", "numba")},
            "cython": build["cython"],
        },
    }


def processor() -> str:
    """Return the processor's name, as the system tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                name, _, value = line.partition(":")
                if name.strip() == "model name":
                    return value.strip()
    except OSError:
        pass  # not Linux
    return platform.processor() or platform.machine()
