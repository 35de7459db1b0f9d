"""The curve designer in Chromium: drawing, sampling, comparing, and what may go wrong."""

import json
import random
import re

import pytest
from playwright.sync_api import expect

from inference.transfer_curve import TransferCurve
from tests.plugins.server import free_port
from tests.plugins.web_app import PATIENCE, App

START = [0.0001, 0.1, 1, 9, 100]
BINS = [5000, *[40] * 38, 0, 9, *[0] * 38, 1]

pytestmark = [pytest.mark.slow, pytest.mark.browser]


class Curves(App):
    """The page, by what a person sees."""

    def point(self, number):
        return self.page.get_by_role("slider", name=f"Point {number} of 5")

    def button(self, name):
        return self.page.get_by_role("button", name=name, exact=True)

    @property
    def slopes(self):
        return self.page.get_by_role("list", name="Slopes").get_by_role("listitem")

    @property
    def samples(self):
        return self.page.get_by_role("article")

    def values(self):
        """The curve in numbers, as the page has them."""
        fields = self.page.get_by_role("spinbutton", name=re.compile("drawn by"))
        return [float(field.input_value()) for field in fields.all()]

    def press(self, number, *keys):
        self.point(number).focus()
        for key in keys:
            self.page.keyboard.press(key)

    def drag(self, number, right, up):
        """Move a point by pixels with the mouse."""
        box = self.point(number).locator(".dot").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + right, y - up, steps=4)
        self.page.mouse.up()

    def answer(self, path, make):
        """Answer requests to a path with what `make` makes of their body; returns the bodies."""
        bodies = []

        def reply(route):
            bodies.append(route.request.post_data_json)
            route.fulfill(json=make(bodies[-1]))

        self.page.route(f"**{path}", reply)
        return bodies


def samples_of(body, text="A text.", junk=False):
    mode = "default" if body.get("default") else "curve"
    samples = [{"text": f"{mode} {text}", "junk": junk} for _ in range(body["n"])]
    recipe = {"temperature": 0.7, "topP": 0, "topK": 0}
    told = {"mode": mode, "n": body["n"], "seed": body["seed"], "samples": samples}
    return {**told, "recipe": recipe} if mode == "default" else told


@pytest.fixture
def open_curves(browser, server):
    """Call with a width and a colour scheme; opens the page. Nothing may go wrong on it."""
    problems, pages = [], []

    def open_page(width=1280, scheme="light", **options):
        page = browser.new_page(
            **options,
            viewport={"width": width, "height": 1000},
            color_scheme=scheme,
            permissions=["clipboard-read", "clipboard-write"],
        )
        pages.append(page)
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda m: m.type == "error" and problems.append(m.text))
        page.goto(f"{server}/curves")
        curves = Curves(page, server)
        expect(curves.slopes).to_have_count(4)
        return curves

    yield open_page
    for page in pages:
        page.close()
    # A server that refuses or is away shows here too, whatever the page makes of it.
    assert [p for p in problems if not p.startswith("Failed to load resource")] == []


@pytest.fixture
def curves(open_curves):
    return open_curves()


@pytest.mark.parametrize(("width", "scheme"), [(375, "dark"), (768, "light"), (1280, "dark")])
def test_it_fits_the_screen_in_both_schemes_and_shuts_nobody_out(open_curves, width, scheme):
    curves = open_curves(width, scheme)
    curves.answer("/signal", lambda body: {"bins": BINS, "vocab": sum(BINS)})
    curves.answer("/generate", lambda body: samples_of(body, "word " * 40 + "x" * 90, junk=True))
    curves.button("Load signal").click()
    curves.press(3, "Shift+ArrowUp", "Shift+ArrowUp")
    curves.button("Generate").click()
    expect(curves.samples).to_have_count(4)

    assert curves.page.evaluate("document.documentElement.scrollWidth") == width
    dark = curves.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert dark == ("rgb(21, 22, 20)" if scheme == "dark" else "rgb(247, 246, 243)")
    assert curves.serious_violations() == {}


def test_the_scheme_that_was_chosen_in_the_app_holds_here(curves):
    curves.page.evaluate("localStorage.setItem('mlxsite.theme', '\"dark\"')")
    curves.page.reload()

    background = curves.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == "rgb(21, 22, 20)"


def test_the_curve_is_the_one_that_the_server_draws_by(curves):
    drawn = random.Random(5)
    shapes = [
        [(x, y) for x, y in zip(START, sorted(drawn.choices(START, k=5)), strict=True)]
        for _ in range(20)
    ]

    slopes = curves.page.evaluate(
        """async (shapes) => {
            const { tangents } = await import('/static/frontend/curves/curve.js');
            return shapes.map((shape) => tangents(shape.map(([x, y]) => ({ x, y }))));
        }""",
        shapes,
    )

    for shape, found in zip(shapes, slopes, strict=True):
        assert found == pytest.approx(TransferCurve.through(shape).slopes, abs=1e-9)


def test_it_begins_on_the_diagonal(curves):
    assert curves.values() == START
    expect(curves.slopes).to_contain_text(["keeps"] * 4)
    expect(curves.button("Reset")).to_be_disabled()
    expect(curves.button("Blind test")).to_be_disabled()
    expect(curves.page.get_by_text("Engine reachable")).to_be_visible()


def test_a_point_is_moved_with_the_keyboard_and_its_slopes_are_told(curves):
    curves.press(3, "Shift+ArrowUp", "ArrowUp", "ArrowRight")

    assert curves.values()[2] == pytest.approx(10 ** (11 * 0.02), rel=1e-4)
    expect(curves.slopes).to_contain_text(["keeps", "sharpens", "flattens", "keeps"])
    expect(curves.point(3)).to_have_attribute("aria-valuetext", re.compile(r"^1 percent .* 1\.7 "))
    curves.press(3, "ArrowLeft", "Home")
    assert curves.values() == START


def test_a_dragged_point_stays_between_its_neighbours(curves):
    curves.drag(2, right=900, up=900)

    assert curves.values() == [0.0001, 1, 1, 9, 100]
    x = curves.page.get_by_role("spinbutton", name="Point 2, the model's").input_value()
    assert 0.9 < float(x) < 1


def test_a_finger_moves_the_point_and_not_the_page(open_curves):
    curves = open_curves(375, has_touch=True, is_mobile=True)
    box = curves.point(3).locator(".dot").bounding_box()
    touch = curves.page.context.new_cdp_session(curves.page)

    def send(kind, *up):
        points = [{"x": box["x"] + 7, "y": box["y"] + 7 - pixels} for pixels in up]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    send("touchStart", 0)
    for pixels in range(5, 45, 5):
        send("touchMove", pixels)
    send("touchEnd")

    assert curves.values()[2] == 9  # as far as the next point
    assert curves.page.evaluate("scrollY") == 0


def test_the_outer_points_move_up_and_down_alone(curves):
    curves.drag(1, right=200, up=60)
    curves.press(5, "ArrowLeft", "Shift+ArrowDown")

    assert curves.values()[0] > 0.0001
    assert curves.values()[4] < 100
    places = [curves.page.get_by_role("spinbutton", name=f"Point {n}, the model") for n in (1, 5)]
    assert [place.input_value() for place in places] == ["0.0001", "100"]


def test_values_are_copied_as_the_server_takes_them(curves):
    curves.press(4, "Shift+ArrowDown")
    curves.button("Copy values").click()
    expect(curves.button("Copied")).to_be_visible()

    copied = json.loads(curves.page.evaluate("navigator.clipboard.readText()"))
    assert [point["x_pct"] for point in copied["points"]] == START
    assert copied["points"][3]["y_pct"] == pytest.approx(9 * 10**-0.2, rel=1e-4)


def test_a_curve_that_falls_says_so_and_is_not_sent(curves):
    field = curves.page.get_by_role("spinbutton", name="Point 3, drawn by")
    field.fill("0.01")
    field.press("Tab")

    expect(curves.page.get_by_text("The curve is not monotone")).to_be_visible()
    expect(curves.slopes.nth(1)).to_contain_text("falls")
    expect(curves.button("Generate")).to_be_disabled()
    curves.button("Reset").click()
    expect(curves.button("Generate")).to_be_enabled()
    assert curves.values() == START


def test_on_the_diagonal_the_model_draws_by_itself(curves):
    with curves.page.expect_request("**/generate") as sent:
        curves.button("Generate").click()

    expect(curves.samples).to_have_count(4)
    expect(curves.samples.first).to_contain_text("You said: Write the first sentence")
    expect(curves.page.get_by_text("Drawn as the model does: temperature")).to_be_visible()
    assert sent.value.post_data_json == {
        "prompt": "Write the first sentence of a novel about a lighthouse.",
        "n": 4,
        "max_tokens": 90,
        "seed": 100,
        "default": True,
    }


def test_samples_are_drawn_along_the_curve_until_it_is_moved(curves):
    curves.page.get_by_role("button", name="Why is the sky blue?").click()
    curves.page.get_by_label("Samples").last.fill("2")
    curves.press(2, "Shift+ArrowUp")
    with curves.page.expect_request("**/generate") as sent:
        curves.button("Generate").click()

    expect(curves.samples).to_contain_text(["You said: Why is the sky blue?"] * 2)
    expect(curves.page.get_by_text("Drawn along the curve.")).to_be_visible()
    assert sent.value.post_data_json["curve"]["points"][1] == {"x_pct": 0.1, "y_pct": 0.15849}
    assert "default" not in sent.value.post_data_json
    curves.press(2, "ArrowUp")
    expect(curves.samples).to_have_count(0)


def test_junk_is_marked_and_a_text_is_copied(curves):
    curves.answer("/generate", lambda body: samples_of(body, "<b>text</b>", junk=True))
    curves.button("Generate").click()

    expect(curves.samples.first.get_by_text("junk", exact=True)).to_be_visible()
    curves.samples.first.get_by_role("button", name="Copy text").click()
    expect(curves.samples.first.get_by_role("button", name="Copied")).to_be_visible()
    copied = curves.page.evaluate("navigator.clipboard.readText()")
    assert copied == "default <b>text</b>"


def test_what_takes_too_long_is_stopped(curves):
    curves.page.route("**/generate", lambda route: None)
    curves.button("Generate").click()
    expect(curves.button("Generate")).to_be_disabled()
    curves.button("Stop").click()

    expect(curves.button("Stop")).to_be_hidden()
    expect(curves.button("Generate")).to_be_enabled()


def test_two_samples_are_told_apart_blindly(curves):
    bodies = curves.answer("/generate", lambda body: samples_of(body, "text", junk=True))
    curves.press(2, "Shift+ArrowUp")
    for _ in range(2):
        curves.button("Blind test").click()
        expect(curves.samples).to_have_count(2)
        expect(curves.page.get_by_text("junk", exact=True)).to_have_count(0)
        curves.samples.filter(has_text="curve text").get_by_role("button", name="follows").click()

    expect(curves.page.get_by_text("2 of 2 right so far.")).to_be_visible()
    expect(curves.samples.filter(has_text="curve text")).to_contain_text("the curve, seed")
    expect(curves.samples.filter(has_text="default text")).to_contain_text("the model, seed")
    assert [body["n"] for body in bodies] == [1] * 4
    assert sorted("curve" in body for body in bodies) == [False, False, True, True]
    assert len({body["seed"] for body in bodies}) == 4


def test_a_wrong_guess_is_revealed_too(curves):
    curves.answer("/generate", samples_of)
    curves.press(2, "Shift+ArrowUp")
    curves.button("Blind test").click()
    curves.samples.filter(has_text="default A").get_by_role("button", name="follows").click()

    expect(curves.page.get_by_text("0 of 1 right so far.")).to_be_focused()


def test_the_signal_lies_behind_the_curve_until_the_prompt_changes(curves):
    curves.answer("/signal", lambda body: {"bins": BINS, "vocab": sum(BINS)})
    curves.button("Load signal").click()

    bars = curves.page.locator(".histogram rect")
    expect(bars).to_have_count(len([count for count in BINS if count]))
    expect(curves.page.get_by_text("10 of 6,530 tokens are likelier than 0.1 %.")).to_be_visible()
    curves.page.get_by_role("textbox", name="Prompt").fill("Another")
    expect(bars).to_have_count(0)


def test_what_the_server_says_against_it_is_shown(curves):
    curves.button("Load signal").click()

    expect(curves.page.get_by_text("the served model has no weights to look into")).to_be_visible()


def test_without_a_key_the_page_leads_to_where_one_is_given(curves):
    refusal = {"error": {"message": "missing or incorrect API key", "type": "x"}}
    curves.page.route("**/generate", lambda route: route.fulfill(status=401, json=refusal))
    curves.button("Generate").click()

    expect(curves.page.get_by_text("This server asks for an API key.")).to_be_visible()


def test_a_server_that_drains_says_so(curves):
    refusal = {"error": {"message": "the server is shutting down"}}
    curves.page.route("**/generate", lambda route: route.fulfill(status=503, json=refusal))
    curves.button("Generate").click()

    expect(curves.page.get_by_role("alert").last).to_have_text("the server is shutting down")


def test_an_empty_prompt_is_not_sent(curves):
    curves.page.get_by_role("textbox", name="Prompt").fill("  ")
    curves.button("Generate").click()

    expect(curves.page.get_by_role("alert").last).to_have_text("Write a prompt first.")


def test_an_engine_that_is_away_shows_as_such(curves):
    engine = curves.page.get_by_role("textbox", name="Engine")
    engine.fill(f"127.0.0.1:{free_port()}")
    engine.press("Tab")

    expect(curves.page.get_by_text("Engine unreachable")).to_be_visible()
    curves.button("Generate").click()
    expect(curves.page.get_by_text("No engine answers at http://127.0.0.1:")).to_be_visible()


def test_another_engine_of_this_machine_can_be_asked(curves):
    engine = curves.page.get_by_role("textbox", name="Engine")
    engine.fill(curves.url.replace("127.0.0.1", "localhost"))
    engine.press("Tab")

    expect(curves.page.get_by_text("Engine reachable")).to_be_visible()
    curves.button("Generate").click()
    expect(curves.samples).to_have_count(4)


def test_other_machines_are_not_asked(curves):
    engine = curves.page.get_by_role("textbox", name="Engine")
    engine.fill("http://engine.example:8080")
    engine.press("Tab")

    expect(curves.page.get_by_text("Only engines on this machine")).to_be_visible()
    curves.button("Generate").click()
    expect(curves.page.get_by_text("There is no engine at that address.")).to_be_visible()
