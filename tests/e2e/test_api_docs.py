"""The page of the API in a browser: whole on every screen, from this server alone, and usable."""

import pytest

CHAT = "#operations-OpenAI-createChatCompletion"

pytestmark = [pytest.mark.slow, pytest.mark.browser]


@pytest.fixture
def open_docs(server, chromium):
    """Call with a width and a colour scheme; yields the page. Nothing may go wrong on it."""
    from playwright.sync_api import sync_playwright

    problems, asked = [], []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])

        def open_page(width, scheme="light"):
            page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
            page.on("pageerror", lambda error: problems.append(str(error)))
            page.on("console", lambda m: m.type == "error" and problems.append(m.text))
            page.on("request", lambda request: asked.append(request.url))
            page.goto(f"{server}/api/docs")
            page.locator(CHAT).wait_for()
            return page

        yield open_page
        browser.close()
    assert problems == []
    assert [url for url in asked if not url.startswith((f"{server}/", "data:"))] == []


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_the_screen_and_takes_its_colours(open_docs, width, scheme):
    page = open_docs(width, scheme)

    page.locator(f"{CHAT} .opblock-summary-control").click()
    page.locator(f"{CHAT} .responses-table").first.wait_for()

    assert page.evaluate("document.documentElement.scrollWidth") == width
    is_dark = page.evaluate("document.documentElement.classList.contains('dark-mode')")
    assert is_dark == (scheme == "dark")


def test_a_request_can_be_tried_out(open_docs):
    page = open_docs(1280)

    page.locator(f"{CHAT} .opblock-summary-control").click()
    page.locator(f"{CHAT} .try-out__btn").click()
    page.locator(f"{CHAT} .execute").click()

    page.get_by_text("You said: Say hello.").wait_for()
