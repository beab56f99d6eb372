"""What all tests share: the two engines side by side, and how much hypothesis tries."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING

import pytest
from browsing import page_browser, page_server, visit  # noqa: F401, fixtures
from hypothesis import settings

if TYPE_CHECKING:
    import httpx
    from serving import Served

# Without deadlines: a machine that is busy is no fault in the rules. `--hypothesis-profile=deep` tries more.
settings.register_profile("quick", max_examples=50, deadline=None)
settings.register_profile("ci", max_examples=200, deadline=None, derandomize=True, print_blob=True)
settings.register_profile("deep", max_examples=2000, deadline=None, print_blob=True)
settings.load_profile("quick")


@pytest.fixture(params=["oracle", "kernel"])
def rules(request: pytest.FixtureRequest) -> ModuleType:
    """Return a module with a class `Position`: the oracle, then the kernel. A kernel that is missing is an error."""
    return importlib.import_module({"oracle": "wts_fast.oracle", "kernel": "wts_fast._kernel"}[request.param])


@pytest.fixture(scope="session")
def server() -> Iterator[Served]:
    """Return a running server that has its compiled code. What it complains of is an error at the end of all tests."""
    from serving import served, wait_until_warm

    with served() as running:
        wait_until_warm(running)
        yield running


@pytest.fixture(scope="module")
def client(server: Served) -> Iterator[httpx.Client]:
    """Return a client of that server."""
    with server.client() as opened:
        yield opened
