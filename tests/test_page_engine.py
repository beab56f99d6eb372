"""The page in a real browser, with the engine: analysing, reviewing and learning."""

from __future__ import annotations

import re

from browsing import HATCH, ROOT, SLOW, at, count_turns, no_animation, turns, until

# ---------------------------------------------------------------- analysis


def test_analysis_streams_heat_maps_and_stops_and_keeps_what_it_has(visit):
    page = visit(at(HATCH))
    page.select_option("#seconds", "60")
    page.evaluate(
        """() => { window.lines = 0; new MutationObserver(() => window.lines++)
            .observe(document.querySelector('#analysis-work'), {childList: true}); }"""
    )
    page.click("#analysis-toggle")
    page.wait_for_selector(".heat.black", timeout=SLOW)
    assert re.fullmatch(r"[+−]0\.\d\d", page.locator("#analysis-value").inner_text())
    assert "C2 completes a row for Black" in page.locator("#words").inner_text()
    until(lambda: page.evaluate("window.lines") >= 3)
    page.click("#analysis-toggle")
    kept = page.locator("#analysis-work").inner_text()
    page.wait_for_timeout(700)
    assert page.locator("#analysis-work").inner_text() == kept
    assert page.locator(".heat.black").count() >= 1
    assert page.locator("#lines .line").count() >= 1
    # Which squares it names depends on when it was stopped; those that it names are told to a screen reader too.
    assert page.locator("#boards figure:not([hidden]) [data-square][aria-label*='%']").count() >= 1


def test_maps_are_shown_one_at_a_time_or_side_by_side(visit):
    page = visit(at(HATCH))
    page.click("#analysis-toggle")
    page.wait_for_selector(".heat.black", timeout=SLOW)
    page.click("[data-map=white]")
    assert page.locator(".heat.black").count() == 0 < page.locator(".heat.white").count()
    page.click("[data-map=both]")
    left, right = page.locator("#boards figure").all()
    assert left.locator(".heat.black").count() > 0 < right.locator(".heat.white").count()
    assert right.locator(".heat.black").count() == 0
    right.locator("[data-square=I9]").click()  # White's board names White's square
    assert page.locator("#hand-white .square").inner_text() == "I9"
    page.click("[data-map=off]")
    assert left.locator(".heat").count() == 0
    assert not right.is_visible()


def test_a_result_is_shown_again_on_return(visit):
    page = visit(at(HATCH) + "&m=B2C2&n=0")
    page.select_option("#seconds", "2")
    page.click("#analysis-toggle")
    page.wait_for_selector(".heat.black", timeout=SLOW)
    page.click("#analysis-toggle")
    value = page.locator("#analysis-value").inner_text()
    page.click("#next")
    until(lambda: page.locator("#analysis-value").inner_text() == "")
    page.click("#previous")
    assert page.locator("#analysis-value").inner_text() == value
    assert page.locator("#turns .turn .value").first.inner_text() == value


def test_threats_are_drawn(visit):
    page = visit(at(HATCH))
    page.click("#threats")
    assert page.locator(".board svg .five.black").count() == 1
    assert page.locator(".board svg .danger.white").count() == 2
    assert page.locator(".board svg .offer.black").count() == 1


def test_a_likely_turn_can_be_played(visit):
    page = visit(at(HATCH))
    page.select_option("#seconds", "2")
    page.click("#analysis-toggle")
    page.wait_for_selector("#lines .line", timeout=SLOW)
    page.click("#analysis-toggle")  # what it has stays; while it runs, another line may come to the top
    line = page.locator("#lines .line").first
    told = line.inner_text().split()
    line.click()
    count_turns(page, 2)
    (played,) = turns(page)
    at_turn = told.index(played[0])
    assert told[at_turn : at_turn + 2] == played
    assert told[at_turn - 1] == "%"


# ---------------------------------------------------------------- review and tutorial


def test_a_game_is_reviewed_and_its_graph_jumps_to_a_turn(visit):
    page = visit()
    page.set_input_files("#load-file", ROOT / "examples" / "selfplay.wts")
    count_turns(page, 12)
    page.click("#review-start")
    page.wait_for_selector("#review-found:not([hidden])", timeout=SLOW)
    assert page.locator("#review-graph path").count() == 4
    box = page.locator("#review-graph").bounding_box()
    page.locator("#review-graph").click(position={"x": box["width"] - 12, "y": 40})
    assert page.locator("#status").inner_text().startswith("Black has won")
    assert page.locator("#review-turn h3").inner_text() == "Turn 11: H6 C1"
    sums = [
        float(text.replace("−", "-")) for text in re.findall(r"[+−]?\d\.\d\d", page.inner_text("#review-turn .sum"))
    ]
    before, black, white, luck, after = sums
    sign = -1 if "− " + f"{luck:.2f} luck" in page.inner_text("#review-turn .sum") else 1
    assert abs(before - black + white + sign * luck - after) < 0.03  # each is rounded
    assert after == 1.0
    page.click("#review-mattered button >> nth=0")
    assert page.locator(".heat.black").count() >= 1  # the mixture, without a search
    assert page.locator("#analysis-summary").inner_text() == "From the review"


def test_an_exercise_is_failed_hinted_at_and_solved(visit):
    page = visit("#m=E5H5")
    no_animation(page)
    page.click("[data-mode=tutorial]")
    page.click("#tutorial-list li:nth-child(2) button")
    assert page.locator("#tutorial-title").inner_text() == "2. Five in a row"
    page.click("#tutorial-show-hint")
    assert page.locator("#tutorial-hint").inner_text() == "Either end of the line will do."
    page.keyboard.type("a1")
    page.keyboard.press("p")
    page.wait_for_selector("#tutorial-verdict.wrong")
    page.click("#tutorial-retry")
    page.keyboard.type("b5")
    page.keyboard.press("p")
    page.wait_for_selector("#tutorial-verdict.ok")
    assert "solved" in page.locator("#tutorial-list li:nth-child(2) button").get_attribute("aria-label")
    page.click("#tutorial-next")
    assert page.locator("#tutorial-title").inner_text().startswith("3.")
    page.click("[data-mode=analyse]")  # the game that was there before is still there
    assert turns(page) == [["E5", "H5"]]
    page.reload()
    page.wait_for_selector("body[data-ready]")
    page.click("[data-mode=tutorial]")
    page.wait_for_selector(".dot.done")
