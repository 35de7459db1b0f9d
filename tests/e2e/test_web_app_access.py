"""Panels, the palette, the drawer and every step of the wizards, as axe-core sees them."""

import pytest
from playwright.sync_api import expect

from tests.screenshots import scenes
from tests.screenshots.take import ANSWERS

pytestmark = [pytest.mark.slow, pytest.mark.browser]

PANELS = ["hub", "hub-search", "memory", "memory-article", "memory-history", "memory-none"]
PANELS += ["adapters", "settings", "palette", "shortcuts", "model-popover", "chats"]
STEPS = [name for name, (route, _) in scenes.SCENES.items() if route in scenes.WAYS]


@pytest.fixture
def scene(open_app):
    """Call with a name, a width and a scheme; returns an `App` that shows that scene."""

    def lead(name, width=1280, scheme="light"):
        app = open_app(width, scheme, reduced_motion="reduce")
        app.page.add_init_script("localStorage.setItem('mlxsite.developer', 'true')")
        for path, body in ANSWERS.items():
            scenes.answer(app, path, body)
        route, go = scenes.SCENES[name]
        app.open(route)
        app.page.get_by_role("status", name="Live").wait_for()
        go(app)
        app.page.wait_for_timeout(200)
        return app

    return lead


@pytest.mark.parametrize("name", [*PANELS, *STEPS])
def test_it_has_no_serious_fault_of_access(scene, name):
    found = {
        "light": scene(name).serious_violations(),
        # In the dark, only colours differ.
        "dark": scene(name, scheme="dark").serious_violations("color-contrast"),
    }

    assert {place: faults for place, faults in found.items() if faults} == {}


@pytest.mark.parametrize("name", ["chats", "palette", "hub", "adapters", "memory-article"])
def test_nor_has_it_on_a_narrow_screen(scene, name):
    app = scene(name, 375)

    assert app.serious_violations() == {}
    assert app.page.evaluate("document.documentElement.scrollWidth") == 375


def test_the_palette_is_found_without_a_keyboard(open_app):
    app = open_app(375).open()
    opener = app.page.get_by_role("button", name="Command palette")
    expect(opener).to_be_in_viewport(ratio=1)
    opener.click()

    app.page.get_by_role("option", name="Go to the message box").click()

    expect(app.page.get_by_role("dialog")).to_have_count(0)
    expect(app.message).to_be_focused()


def test_the_focus_returns_to_what_led_to_a_panel(open_app):
    app = open_app().open()
    opener = app.page.locator("#model-button")
    opener.click()
    app.page.get_by_role("button", name="Browse and download models").click()
    panel = app.page.get_by_role("dialog", name="Models", exact=True)
    expect(panel.get_by_role("button", name="Close")).to_be_focused()

    app.page.keyboard.press("Escape")

    expect(panel).to_have_count(0)
    expect(opener).to_be_focused()


def test_keys_of_the_page_do_nothing_behind_a_panel(open_app):
    app = open_app().open()
    app.say("stay")
    expect(app.answers.last).to_contain_text("You said: stay")
    app.page.get_by_role("button", name="Settings").click()

    app.page.keyboard.press("Control+Shift+O")

    expect(app.page.get_by_role("dialog", name="Settings")).to_be_visible()
    expect(app.answers.last).to_contain_text("You said: stay")
