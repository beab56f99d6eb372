"""The page for everybody: keys alone, screen readers, phones, both languages, and its weight."""

from __future__ import annotations

import json
import re

import pytest
from browsing import HATCH, SLOW, STATIC, at, count_turns, live, no_animation, turns, until

# ---------------------------------------------------------------- for everybody


def test_everything_by_keys_alone(visit):
    page = visit(at(HATCH))
    page.keyboard.press("?")
    assert page.locator("#keys-dialog").is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("v")
    page.keyboard.press("n")  # the board, cursor on E5
    for key in ["ArrowLeft", "ArrowLeft", "ArrowDown", "ArrowDown", "ArrowDown", "Space"]:
        page.keyboard.press(key)
    assert page.locator("#hand-black .square").inner_text() == "C2"
    for key in ["ArrowLeft", "ArrowLeft", "ArrowDown", "Enter", "Enter"]:
        page.keyboard.press(key)
    page.wait_for_selector("#status.over")
    assert turns(page) == [["C2", "A1"]]
    page.keyboard.press("k")
    assert page.locator("#turns .turn[aria-current]").inner_text().startswith("Start")
    page.keyboard.press("t")
    assert page.locator(".five").count() == 1
    page.keyboard.press("l")
    page.wait_for_selector(".heat", timeout=SLOW)
    page.keyboard.press("l")
    page.keyboard.press("m")
    assert page.locator(".heat.white").count() >= 1
    page.keyboard.press("u")
    assert page.locator("#palette").is_visible()


def test_tab_reaches_every_control_and_the_focus_is_seen(visit):
    page = visit()
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        name, shown = page.evaluate(
            """() => { const e = document.activeElement, s = getComputedStyle(e);
              return [e.id || e.dataset.mode || e.dataset.map || e.dataset.square || e.className || e.tagName,
                      s.outlineStyle !== 'none' || s.boxShadow !== 'none' || e === document.body]; }"""
        )
        assert shown, name
        reached.add(name)
    wanted = {"analyse", "play", "tutorial", "language", "theme", "keys", "E5", "hand-black", "hand-white", "play-turn"}
    wanted |= {"analysis-toggle", "black", "both", "threats", "seconds", "turns", "animation", "load", "save", "share"}
    assert wanted <= reached


def test_the_page_is_german_for_germans_and_stays_as_chosen(visit):
    page = visit(at(HATCH), locale="de-DE")
    assert page.locator("html").get_attribute("lang") == "de"
    assert page.locator("#play-turn").inner_text() == "Ziehen"
    no_animation(page)
    page.keyboard.type("c2a1")
    page.keyboard.press("p")
    page.wait_for_selector("#story:not([hidden])")
    assert "schlüpft eine schwarze Schildkröte" in page.locator("#story").inner_text()
    assert "C3 und C4 zwischen C2 und C5 ein: geschlagen." in live(page)
    assert page.locator(".piece.black .letter").first.text_content() == "S"
    page.click("#language")
    until(lambda: page.locator("#play-turn").text_content() == "Play turn")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    assert page.locator("html").get_attribute("lang") == "en"


@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
def test_a_phone_needs_no_scrolling_sideways(visit, locale):
    page = visit(at(HATCH), width=360, height=740, locale=locale)
    for button in ["#threats", "[data-map=both]", "#setup-toggle", "[data-mode=play]", "[data-mode=tutorial]"]:
        page.click(button)
        assert page.evaluate("document.documentElement.scrollWidth") == 360, button
        board = page.locator(".board").first.bounding_box()
        assert board["width"] >= 330, button


def test_long_names_and_markup_in_a_record_are_text(visit):
    page = visit(width=320, height=640, locale="de-DE")
    tags = {
        "Black": "Donaudampfschiff" * 5,
        "White": "<img src=x>",
        "Date": "2026.01.01",
        "Result": "*",
        "Event": "x" * 200,
    }
    text = "".join(f'[{name} "{value}"]\n' for name, value in tags.items()) + "\n{" + "y" * 150 + "} 1. E5 E5 *\n"
    page.set_input_files("#load-file", {"name": "long.wts", "mimeType": "text/plain", "buffer": text.encode()})
    count_turns(page, 2)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert "<img src=x>" in page.locator("#players").inner_text()
    assert page.locator("img[src=x]").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(visit, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = visit(at(HATCH) + "&m=B2C2.A6I1", color_scheme=scheme)
    page.wait_for_selector("#story:not([hidden])")
    page.click("#analysis-toggle")
    page.wait_for_selector(".heat", timeout=SLOW)
    page.click("#analysis-toggle")
    for button in [
        "#threats",
        "#setup-toggle",
        "[data-mode=play]",
        "[data-mode=tutorial]",
        "[data-mode=analyse]",
        "#keys",
        "#load",
    ]:
        page.click(button)
        found = axe.run(page).response["violations"]
        assert [(v["id"], [node["html"][:160] for node in v["nodes"]]) for v in found] == [], button
        page.keyboard.press("Escape")


def test_themes_are_remembered(visit):
    page = visit()
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.click("#theme")
    page.click("#theme")
    assert page.locator("html").get_attribute("data-theme") == "dark"
    dark = page.evaluate(ground)
    assert dark != light
    page.reload()
    assert page.evaluate(ground) == dark


# ---------------------------------------------------------------- texts and weight


def _texts(name: str) -> dict[str, str]:
    return json.loads((STATIC / "lang" / f"{name}.json").read_text("utf-8"))


def test_both_languages_have_the_same_texts_and_names_in_them():
    english, german = _texts("en"), _texts("de")
    assert english.keys() == german.keys()
    for key in english:
        assert set(re.findall(r"{(\w+)}", english[key])) == set(re.findall(r"{(\w+)}", german[key])), key


def test_the_bare_page_says_what_the_english_texts_say():
    english = _texts("en")
    page = (STATIC / "index.html").read_text("utf-8")
    marked = re.findall(r'data-t="([\w.]+)"[^>]*>([^<]*)<', page)
    assert len(marked) > 30
    assert [(key, text) for key, text in marked if english[key] != text] == []
    for key in re.findall(r'data-t-label="([\w.]+)"', page):
        assert key in english


def test_no_text_is_missing_or_unused():
    english = _texts("en")
    source = "".join(path.read_text("utf-8") for path in [*STATIC.glob("*.js"), STATIC / "index.html"])
    for key in re.findall(r'\bt\("([\w.]+)"', source):
        assert key in english, key
    # A name that is put together begins with what stands before ${.
    begun = tuple(re.findall(r"`([\w.]+\.)\$\{", source))
    assert [key for key in english if f'"{key}"' not in source and not key.startswith(begun)] == []


def test_the_page_weighs_less_than_150_kb(visit):
    page = visit()
    weights = page.evaluate("performance.getEntriesByType('resource').map(e => [e.name, e.decodedBodySize])")
    files = {name: weight for name, weight in weights if "/static/" in name}
    assert len(files) > 20
    assert sum(files.values()) + (STATIC / "index.html").stat().st_size < 150_000


def test_the_page_works_offline(visit):
    files = [path for path in STATIC.rglob("*") if path.is_file()]
    source = "".join(path.read_text("utf-8") for path in files)
    assert re.findall(r"https?://(?!www\.w3\.org/2000/svg)[\w.]+", source) == []
    preloaded = set(re.findall(r'modulepreload" href="/static/([\w]+\.js)"', (STATIC / "index.html").read_text()))
    assert preloaded == {path.name for path in STATIC.glob("*.js")} - {"app.js", "theme.js"}


def test_the_board_is_painted_at_once(visit):
    page = visit()
    page.reload()
    page.wait_for_selector("body[data-ready]")
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    ready = page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
    assert paint < 2000  # 500 on a machine with nothing else to do
    assert ready < 2000
