"""The page in a real browser: playing against the engine, whose squares are sealed before ours are known."""

from __future__ import annotations

import hashlib
import re

from browsing import HATCH, SLOW, at, cell, no_animation, turns, until


def test_the_engine_seals_its_square_before_ours_is_known(visit):
    page = visit()
    no_animation(page)
    asked = []
    page.on("request", lambda request: asked.append((request.url.rpartition("/api/")[2], request.post_data)))
    page.click("[data-mode=play]")
    page.wait_for_selector(".level")
    assert page.locator(".level").count() == 8
    page.click("#play-form .main")
    page.wait_for_selector("#play-seal code")
    seal = page.inner_text("#play-seal code")
    assert re.fullmatch("[0-9a-f]{64}", seal)
    assert [name for name, body in asked if name in ("commit", "reveal")] == ["commit"]
    page.keyboard.type("e5")
    assert page.locator("#hand-black .square").inner_text() == "E5"
    assert page.locator("#hand-white .square").inner_text() == "?"
    assert not any("E5" in (body or "") for _, body in asked)  # nothing is told before the turn is played
    page.keyboard.press("p")
    page.wait_for_selector("#play-proof.ok")
    square, salt = re.search("“(..) ([0-9a-f]{32})”", page.inner_text("#play-proof")).groups()
    assert hashlib.sha256(f"{square} {salt}".encode()).hexdigest() == seal
    assert turns(page) == [["E5", square]]
    until(lambda: page.locator("#play-seal code").count() and page.inner_text("#play-seal code") != seal)


def test_a_wrong_seal_is_told(visit):
    page = visit()
    no_animation(page)
    page.route("**/api/commit", lambda route: route.fulfill(json={"game": "g", "commitment": "0" * 64}))
    after = page.evaluate(
        """async () => (await fetch('/api/turn', {method: 'POST', headers: {'Content-Type': 'application/json'},
            body: JSON.stringify({position: '9/9/9/9/9/9/9/9/9 -', black: 'E5', white: 'H5'})})).json()"""
    )
    told = {"square": "H5", "salt": "00" * 16, "commitment": "0" * 64, "turn": after}
    page.route("**/api/reveal", lambda route: route.fulfill(json=told))
    page.click("[data-mode=play]")
    page.wait_for_selector(".level")
    page.click("#play-form .main")
    page.wait_for_selector("#play-seal code")
    page.keyboard.type("e5")
    page.keyboard.press("p")
    page.wait_for_selector("#play-proof.wrong")


def test_a_game_against_level_1_is_played_to_its_end(visit):
    page = visit(at("9/9/9/9/2bbbb3/9/9/9/w1w1w4 -"))
    no_animation(page)
    page.click("[data-mode=play]")
    page.wait_for_selector(".level")
    page.check("[name=from]")
    page.click("#play-form .main")
    # Black, with an open four: he takes an end until White is not there.
    for _ in range(30):
        until(lambda: page.locator("#play-seal code").count() or page.locator("#play-again").is_visible())
        if page.locator("#play-again").is_visible():
            break
        count = page.locator("#turns .turn").count()
        for square in ["B5", "G5", "A5", "H5", *(f"{f}{r}" for f in "ABCDEFGHI" for r in range(1, 10))]:
            if "empty" in cell(page, square).get_attribute("aria-label"):
                break
        page.keyboard.type(square)
        page.keyboard.press("p")
        until(lambda count=count: page.locator("#turns .turn").count() == count + 1)
        if page.locator("#status.over").count():
            break
    page.wait_for_selector("#play-again:visible")
    assert page.locator("#play-status").inner_text() in ("You have won.", "The engine has won.", "A draw.")
    page.click("#play-review")
    page.wait_for_selector("#review-found:not([hidden])", timeout=SLOW)


def test_hints_are_off_while_playing_until_asked_for(visit):
    page = visit(at(HATCH))
    page.click("[data-mode=play]")
    page.wait_for_selector(".level")
    page.check("[name=from]")
    page.click("#play-form .main")
    page.wait_for_selector("#play-seal code")
    assert not page.locator("#analysis").is_visible()
    page.keyboard.press("t")
    assert page.locator(".five").count() == 0
    page.click("#play-hints")
    assert page.locator(".five").count() == 1
    page.wait_for_selector(".heat", timeout=SLOW)
