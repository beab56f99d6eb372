"""Take the pictures of docs/board.md: starts a server, and a headless Chromium that looks at it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

HERE = Path(__file__).resolve().parent
GAME = HERE.parents[1] / "examples" / "selfplay.wts"
MIXED = "#m=G5C8.B8D9.D8F9.B1C4.C9E5.H8F2"  # a position from it in which both mix
TAKES = "#p=9/2w4b1/6w2/5w3/1bww5/9/7e1/6b2/9_H3"  # E5 takes F6 and G7, C5 and D5; the egg hatches


def main() -> None:
    """Take them all."""
    command = [sys.executable, "-m", "wts_fast", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
                _take(browser, address)
                browser.close()
        finally:
            server.terminate()


def _take(browser: Browser, address: str) -> None:
    desk = _page(browser, 1280, 800)
    _analyse(desk, address, MIXED)
    _save(desk, "light")
    desk.click("#threats")
    desk.click("[data-map=both]")
    _save(desk, "both")

    dark = _page(browser, 1280, 800, "dark", "de-DE")
    _analyse(dark, address, TAKES)
    dark.keyboard.type("e5b7")
    dark.keyboard.press("p")
    dark.locator("line.bar").nth(1).wait_for(state="attached")
    time.sleep(0.2)
    _save(dark, "dark-german")

    phone = _page(browser, 360, 760)
    _analyse(phone, address, MIXED)
    _save(phone, "phone")

    review = _page(browser, 1280, 1560)
    _open(review, address)
    review.set_input_files("#load-file", GAME)
    review.click("#review-start")
    review.wait_for_selector("#review-found:not([hidden])", timeout=240_000)
    review.click("#review-mattered button >> nth=1")
    review.wait_for_timeout(6000)  # until the notice is gone
    _save(review, "review")

    play = _page(browser, 1280, 800)
    _open(play, address)
    play.click("#animation")
    play.click("[data-mode=play]")
    play.click("#play-form .main")
    for square in ("e5", "f6", "d4"):
        play.wait_for_selector("#play-seal code")
        play.keyboard.type(square)
        play.keyboard.press("p")
        play.wait_for_selector("#play-proof:not([hidden])")
        play.wait_for_timeout(800)
    _save(play, "play")


def _page(browser: Browser, width: int, height: int, scheme: str = "light", locale: str = "en-GB") -> Page:
    size = {"width": width, "height": height}
    return browser.new_context(viewport=size, color_scheme=scheme, locale=locale).new_page()


def _open(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("body[data-ready]")


def _analyse(page: Page, address: str, position: str) -> None:
    _open(page, address + position)
    page.click("#analysis-toggle")
    page.wait_for_selector(".heat", timeout=240_000)
    page.wait_for_timeout(4000)


def _save(page: Page, name: str) -> None:
    path = HERE / f"board-{name}.png"
    page.screenshot(path=path)
    Image.open(path).convert("RGB").quantize(256).save(path, optimize=True)


if __name__ == "__main__":
    main()
