"""The map of the server in Chromium."""

import re

import pytest
from playwright.sync_api import expect

from tests.plugins.web_app import PATIENCE, App

pytestmark = [pytest.mark.slow, pytest.mark.browser]


class Dag(App):
    """The page, by what a person sees."""

    def step(self, title):
        return self.map.get_by_role("button", name=title, exact=True)

    @property
    def map(self):
        return self.page.get_by_role("group", name="Steps and the ways between them")

    @property
    def details(self):
        return self.page.get_by_role("complementary", name="Details")

    def scale(self):
        place = self.page.locator("#world").get_attribute("transform")
        return float(re.search(r"scale\((.+)\)", place)[1])


@pytest.fixture
def open_dag(browser, server):
    """Call with a width and a colour scheme; opens the page. Nothing may go wrong on it."""
    problems, pages = [], []

    def open_page(width=1280, scheme="light"):
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        pages.append(page)
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda m: m.type == "error" and problems.append(m.text))
        page.goto(f"{server}/dag")
        dag = Dag(page, server)
        expect(dag.step("A request comes in")).to_be_visible()
        return dag

    yield open_page
    for page in pages:
        page.close()
    assert problems == []


@pytest.mark.parametrize(("width", "scheme"), [(375, "light"), (1280, "dark")])
def test_it_fits_the_screen_in_both_schemes_and_shuts_nobody_out(open_dag, width, scheme):
    dag = open_dag(width, scheme)
    dag.step("May it come in?").click()

    assert dag.page.evaluate("document.documentElement.scrollWidth") == width
    assert dag.serious_violations() == {}


def test_a_step_tells_what_it_does_and_where_it_leads(open_dag):
    dag = open_dag()
    dag.step("Submit").click()

    expect(dag.step("Submit")).to_have_attribute("aria-pressed", "true")
    expect(dag.details).to_contain_text("Decision · Event loop")
    expect(dag.details).to_contain_text("Otherwise: It is refused with 429")
    dag.details.get_by_role("button", name="Admit").click()
    expect(dag.details.get_by_role("heading", level=2)).to_have_text("Admit")
    expect(dag.step("Submit")).to_have_attribute("aria-pressed", "false")


def test_the_other_map_is_of_training(open_dag):
    dag = open_dag()
    dag.page.get_by_role("radio", name="Training").check()

    expect(dag.step("Apply the update")).to_be_visible()
    expect(dag.step("A request comes in")).to_have_count(0)
    expect(dag.details.get_by_role("heading", level=2)).to_have_text("Training")


def test_the_keyboard_reaches_every_step_and_brings_it_into_sight(open_dag):
    dag = open_dag()
    dag.step("Answer").focus()
    dag.page.keyboard.press("Enter")

    expect(dag.step("Answer")).to_be_in_viewport(ratio=1)
    expect(dag.details.get_by_role("heading", level=2)).to_have_text("Answer")


def test_all_of_it_fits_at_once_and_can_be_seen_closer(open_dag):
    dag = open_dag()
    begin = dag.scale()
    dag.page.get_by_role("button", name="Fit", exact=True).click()
    whole = dag.scale()

    for title in ("A request comes in", "SSD cache", "Answer"):
        expect(dag.step(title)).to_be_in_viewport(ratio=1)
    assert whole < begin
    dag.page.get_by_role("button", name="Zoom in").click()
    assert dag.scale() > whole
