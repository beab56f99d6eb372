"""A headless browser on a running server, for the tests of the page; and how they find things on it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

ROOT = Path(__file__).resolve().parents[1]
STATIC = ROOT / "wts_fast" / "serve" / "static"
CHROMIUM = shutil.which("chromium")
ARGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
ARGS += ["--disable-component-update", "--disable-sync"]
HATCH = "9/9/9/2w6/bbbbe4/2ww5/2w6/9/9 E5"  # C2 takes C3 and C4, the egg on E5 hatches and makes the row
SLOW = 60_000  # ms: what a search may take on a machine that is busy

Visit = Callable[..., "Page"]


@pytest.fixture(scope="session")
def page_server() -> Iterator[str]:
    """The address of a server whose code is compiled."""
    from serving import served, wait_until_warm

    with served() as running:
        wait_until_warm(running)
        yield running.url


# Not for the session: while it is open, no other test of the same process could start an event loop.
@pytest.fixture(scope="module")
def page_browser() -> Iterator[Browser]:
    """Debian's Chromium; tests are skipped where there is none."""
    if CHROMIUM is None:
        pytest.skip("needs chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(page_browser: Browser, page_server: str) -> Iterator[Visit]:
    """A function that opens the page; what the browser complains about fails the test in the end."""
    complaints: list[str] = []
    contexts = []

    def complain(text: str) -> None:
        if "the server responded with a status of 4" not in text:  # what is refused is told in the page
            complaints.append(text)

    def open_page(address: str = "", *, width: int = 1280, height: int = 800, **options: Any) -> Page:
        size = {"width": width, "height": height}
        context = page_browser.new_context(viewport=size, **{"locale": "en-GB", **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complain(message.text) if message.type == "error" else None)
        page.goto(page_server + address)
        page.wait_for_selector("body[data-ready]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def at(position: str) -> str:
    """The address of a position."""
    return "#p=" + position.replace(" ", "_")


def cell(page: Page, square: str) -> Locator:
    """A square on the first board that is shown."""
    return page.locator(f"#boards figure:not([hidden]) [data-square={square}]").first


def turns(page: Page) -> list[list[str]]:
    """The squares of the list of turns."""
    return [text.split()[1:3] for text in page.locator("#turns .turn").all_inner_texts()[1:]]


def until(condition: Callable[[], object], seconds: float = 15.0) -> None:
    """Wait for something (the browser's own way to wait for a function is an eval, which the page forbids)."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.03)


def count_turns(page: Page, count: int) -> None:
    """Wait until the game has so many positions."""
    until(lambda: page.locator("#turns .turn").count() == count)


def live(page: Page) -> str:
    """What a screen reader was told last."""
    return page.locator("#live").inner_text()


def no_animation(page: Page) -> None:
    """Switch the animation off."""
    if page.locator("#animation").get_attribute("aria-pressed") == "true":
        page.click("#animation")
