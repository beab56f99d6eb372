"""The page in a real browser: playing turns, walking through games, setting up, and taking back."""

from __future__ import annotations

from pathlib import Path

from browsing import HATCH, ROOT, at, cell, count_turns, live, no_animation, turns, until

# ---------------------------------------------------------------- turns


def test_two_clicks_and_the_button_play_a_turn(visit):
    page = visit()
    cell(page, "E5").click()
    assert live(page) == "E5 for Black."
    cell(page, "H5").click()
    page.click("#play-turn")
    count_turns(page, 2)
    assert turns(page) == [["E5", "H5"]]
    assert cell(page, "E5").get_attribute("aria-label").startswith("E5, black turtle")
    assert cell(page, "H5").get_attribute("aria-label").startswith("H5, white turtle")
    assert page.url.endswith("#m=E5H5")


def test_the_same_square_lays_an_egg(visit):
    page = visit()
    no_animation(page)
    for _ in range(2):
        cell(page, "E5").click()
    page.click("#play-turn")
    page.wait_for_selector("#story:not([hidden])")
    assert cell(page, "E5").get_attribute("aria-label") == "E5, egg 1, last turn"
    assert live(page) == "Both chose E5: an egg is laid. Play goes on."


def test_an_occupied_square_is_refused_in_words(visit):
    page = visit(at(HATCH))
    cell(page, "A5").click()
    assert "A5 is taken: black turtle." in page.locator("#notice").inner_text()
    assert page.locator("#hand-black .square").inner_text() == "–"


def test_a_capture_a_hatch_and_a_row_are_shown_one_after_the_other(visit):
    page = visit(at(HATCH))
    # What the board shows is written down whenever it changes.
    page.evaluate(
        """() => { window.seen = []; new MutationObserver(() => {
            const count = (mark) => document.querySelectorAll('.board svg ' + mark).length;
            window.seen.push({cross: count('.cross'), bar: count('line.bar'), leave: count('.leave'),
              ring: count('.ring'), eggs: count('.egg')});
          }).observe(document.querySelector('.board svg'), {childList: true}); }"""
    )
    cell(page, "C2").click()
    cell(page, "A1").click()
    page.click("#play-turn")
    page.wait_for_selector("#status.over")
    seen = page.evaluate("window.seen")
    kinds = [
        "bar"
        if s["bar"]
        else "leave"
        if s["leave"]
        else "egg"
        if s["ring"] == 1 and s["eggs"]
        else "row"
        if s["ring"] == 5
        else ""
        for s in seen
    ]
    order = [kind for i, kind in enumerate(kinds) if kind and kind != kinds[i - 1]]
    assert order[:4] == ["bar", "leave", "egg", "row"], seen
    assert max(s["cross"] for s in seen) == 2
    assert page.locator("#story-events li").all_inner_texts() == [
        "Black lands on C2.",
        "White lands on A1.",
        "Black closes a bracket, C2 to C5: C3 and C4 are captured.",
        "The oldest egg, on E5, hatches for Black.",
        "Black has 5 in a row, A5 to E5.",
        "Black wins: 5 winning turtles to 0.",
    ]
    assert cell(page, "C4").get_attribute("aria-label") == "C4, empty"


def test_one_step_of_a_turn_can_be_looked_at(visit):
    page = visit(at(HATCH) + "&m=C2A1")
    page.click("#story-events li:nth-child(3) button")
    assert page.locator(".board svg .cross").count() == 2
    assert cell(page, "C4").get_attribute("aria-label").startswith("C4, white turtle")
    page.click("#story-events li:nth-child(6) button")
    assert cell(page, "C4").get_attribute("aria-label") == "C4, empty"


def test_without_animation_a_turn_is_there_within_50_ms(visit):
    page = visit(at(HATCH), reduced_motion="reduce")
    assert page.locator("#animation").get_attribute("aria-pressed") == "false"
    waited = []
    for last in ["A1", "A2", "A3", "A4", "A6"]:  # other turns, which the page has not seen yet
        page.keyboard.type(f"c2{last.lower()}")
        waited.append(
            page.evaluate(
                """() => new Promise((done) => { const begin = performance.now();
                    const there = () => document.querySelector('[data-square=E5]').ariaLabel.includes('black turtle');
                    new MutationObserver(() => there() && requestAnimationFrame(() => done(performance.now() - begin)))
                      .observe(document.querySelector('.board svg'), {childList: true});
                    document.querySelector('#play-turn').click(); })"""
            )
        )
        assert "hatches for Black" in live(page)
        page.keyboard.press("z")
    assert min(waited) < 100, waited  # 20 on a machine with nothing else to do


def test_escape_ends_the_animation(visit):
    page = visit(at(HATCH))
    page.keyboard.type("c2a1")
    page.keyboard.press("p")
    page.wait_for_selector("[aria-current=step]")
    page.keyboard.press("Escape")
    assert page.locator("[aria-current=step]").count() == 0
    assert page.locator("#status").inner_text() == "Black has won, 5 winning turtles to 0."


# ---------------------------------------------------------------- records


def test_a_pasted_record_is_walked(visit):
    page = visit()
    page.click("#load")
    page.fill("#load-text", (ROOT / "examples" / "hatch.wts").read_text())
    page.click("#load-form .main")
    count_turns(page, 5)
    assert page.locator("#players").inner_text().startswith("Ada – Bo")
    assert "a collision: an egg lies on E5 (R6)" in page.locator("#turns").inner_text()
    no_animation(page)
    page.click("#next")
    until(lambda: cell(page, "E5").get_attribute("aria-label") == "E5, egg 1, last turn")
    page.locator("#turns .turn").nth(4).click()
    assert cell(page, "E5").get_attribute("aria-label") == "E5, black turtle"
    page.wait_for_selector("#story:not([hidden])")
    page.click("#first")
    assert cell(page, "E5").get_attribute("aria-label") == "E5, empty"


def test_a_record_opens_from_a_file_and_is_saved_as_one(visit):
    page = visit()
    page.set_input_files("#load-file", ROOT / "examples" / "selfplay.wts")
    count_turns(page, 12)
    assert page.locator("#turns .turn .value").nth(10).inner_text() == "+0.97"
    with page.expect_download() as download:
        page.click("#save")
    text = Path(download.value.path()).read_text()
    assert '[Result "1-0"]' in text
    assert "11. H6 C1 1-0" in " ".join(text.split())


def test_text_is_dropped_on_the_page(visit):
    page = visit()
    page.evaluate(
        """(text) => { const data = new DataTransfer(); data.items.add(new File([text], 'x.wts'));
            const how = {dataTransfer: data, bubbles: true, cancelable: true};
            document.body.dispatchEvent(new DragEvent('drop', how)); }""",
        (ROOT / "examples" / "hatch.wts").read_text(),
    )
    count_turns(page, 5)
    assert turns(page) == [["E5", "E5"], ["B2", "C2"], ["G7", "D2"], ["E2", "H3"]]


def test_a_position_is_pasted(visit):
    page = visit()
    page.evaluate(
        """(text) => { const data = new DataTransfer(); data.setData('text', text);
            const how = {clipboardData: data, bubbles: true, cancelable: true};
            document.body.dispatchEvent(new ClipboardEvent('paste', how)); }""",
        HATCH,
    )
    until(lambda: page.locator("#position").input_value() == HATCH)
    assert turns(page) == []
    assert "black turtle" in cell(page, "A5").get_attribute("aria-label")


def test_a_damaged_record_is_refused_with_its_place(visit):
    page = visit()
    page.click("#load")
    page.fill("#load-text", '[Black "A"]\n[White "B"]\n[Date "2026.01.01"]\n[Result "*"]\n\n1. E5 E5 2. E5 A1 *\n')
    page.click("#load-form .main")
    page.wait_for_selector("#notice.bad")
    assert "line 6, column 13" in page.locator("#notice").inner_text()
    assert page.locator("#load-dialog").is_visible()


def test_two_games_in_a_file_are_offered(visit):
    page = visit()
    text = (ROOT / "examples" / "hatch.wts").read_text() + "\n" + (ROOT / "examples" / "selfplay.wts").read_text()
    page.set_input_files("#load-file", {"name": "two.wts", "mimeType": "text/plain", "buffer": text.encode()})
    page.wait_for_selector("#games-part:not([hidden])")
    page.select_option("#games", "1")
    count_turns(page, 12)
    assert turns(page)[0] == ["G5", "C8"]


# ---------------------------------------------------------------- set up, undo and links


def test_a_position_is_set_up_and_every_change_is_taken_back(visit):
    page = visit()
    page.click("#setup-toggle")
    cell(page, "A1").click()
    page.click("[data-tool=egg]")
    cell(page, "B1").click()
    until(lambda: page.locator("#position").input_value() == "9/9/9/9/9/9/9/9/be7 B1")
    page.keyboard.press("z")
    assert page.locator("#position").input_value() == "9/9/9/9/9/9/9/9/b8 -"
    page.keyboard.press("z")
    assert page.locator("#position").input_value() == "9/9/9/9/9/9/9/9/9 -"
    page.keyboard.press("y")
    assert page.locator("#position").input_value() == "9/9/9/9/9/9/9/9/b8 -"


def test_a_wrong_position_text_is_refused(visit):
    page = visit()
    page.fill("#position", "9/9/9/9/9/9/9/9/44b -")
    page.keyboard.press("Enter")
    page.wait_for_selector("#notice.bad")
    assert page.locator("#position").get_attribute("aria-invalid") == "true"
    assert page.url.count("#") == 0


def test_a_turn_in_the_middle_can_be_taken_back(visit):
    page = visit("#m=E5H5.A1B1.C3D4&n=1")
    no_animation(page)
    page.keyboard.type("g7g8")
    page.keyboard.press("p")
    count_turns(page, 3)
    assert turns(page) == [["E5", "H5"], ["G7", "G8"]]
    page.click("#undo")
    assert turns(page) == [["E5", "H5"], ["A1", "B1"], ["C3", "D4"]]


def test_a_link_holds_the_position_and_the_game(visit):
    page = visit(at(HATCH) + "&m=A1B1.C2I9&n=1")
    assert turns(page) == [["A1", "B1"], ["C2", "I9"]]
    assert page.locator("#turns .turn[aria-current]").inner_text().split()[1:3] == ["A1", "B1"]
    address = page.url
    page.reload()
    page.wait_for_selector("body[data-ready]")
    count_turns(page, 3)
    assert page.url == address


def test_a_wrong_link_leaves_the_start(visit):
    page = visit()
    for wrong in ["#p=x", "#m=Z9A1", "#m=E5H5.E5A1", "#p=9/9/9/9/9/9/9/9/9_A1", "#m=" + "E5H5." * 500]:
        page.evaluate("hash => { document.querySelector('#notice').hidden = true; location.hash = hash; }", wrong)
        page.wait_for_selector("#notice.bad")
        assert page.locator("#turns .turn").count() == 1
