"""The web app in a real browser, in front of a server with the scripted model."""

import json
from importlib.resources import files

import pytest

from tests.plugins.server import spawn, stop

PATIENCE = 30_000  # milliseconds; only what fails takes so long, and a busy machine

# Lets a test speak in the place of the server: `window.sockets` holds what the page has opened.
KEEP_SOCKETS = """
window.sockets = [];
window.WebSocket = class extends WebSocket {
  constructor(...args) { super(...args); window.sockets.push(this); }
};
"""


def tool_call(name, **args):
    """A message that makes the scripted model call a tool: it says what was said."""
    return f"<tool_call>{json.dumps({'name': name, 'arguments': args})}</tool_call>"


class App:
    """One browser window."""

    def __init__(self, page, url):
        self.page, self.url = page, url

    def open(self, route="chat"):
        self.page.goto(f"{self.url}/#/{route}")
        return self

    @property
    def message(self):
        return self.page.get_by_role("textbox", name="Message", exact=True)

    @property
    def answers(self):
        return self.page.get_by_role("article", name="Assistant")

    def wait_for_connection(self):
        """Wait until the chat is there; what is asked before is refused."""
        self.message.wait_for()
        self.page.get_by_text("Connecting").first.wait_for(state="hidden")

    def search_palette(self, text):
        """Open the palette and type into it."""
        self.wait_for_connection()
        self.page.keyboard.press("Control+k")
        self.page.get_by_role("combobox", name="Find a command").fill(text)

    def say(self, text):
        self.wait_for_connection()
        self.message.fill(text)
        self.message.press("Enter")

    def serious_violations(self, *rules):
        """What axe-core finds wrong for people with disabilities, by rule; rules: none for all."""
        source = files("axe_playwright_python").joinpath("axe.min.js").read_text()
        self.page.evaluate(source)
        options = {"runOnly": {"type": "rule", "values": rules}} if rules else {}
        found = self.page.evaluate("options => axe.run(document, options)", options)
        return {
            violation["id"]: [node["html"][:160] for node in violation["nodes"]]
            for violation in found["violations"]
            if violation["impact"] in ("serious", "critical")
        }


@pytest.fixture(scope="module")
def app_server(tmp_path_factory):
    """A server that the tests of one file share; its workspace is empty at first."""
    folder = tmp_path_factory.mktemp("app")
    server = spawn(
        folder,
        "--scripted",
        env={
            "MLXSITE_WORKSPACE": str(folder / "workspace"),
            "MLXSITE_CACHE_DIR": str(folder / "cache"),
            "HF_HUB_CACHE": str(folder / "hf"),
            "HF_ENDPOINT": "http://127.0.0.1:9",  # nobody answers there: the Hub is away
        },
    )
    server.folder = folder
    server.wait_until_ready()
    yield server
    stop(server)


@pytest.fixture(scope="module")
def browser(chromium):
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_app(browser, app_server):
    """Call with a width and a colour scheme; returns an `App`. Nothing may go wrong on it."""
    problems, contexts = [], []

    def open_window(width=1280, scheme="light", **options):
        context = browser.new_context(
            viewport={"width": width, "height": 800},
            color_scheme=scheme,
            permissions=["clipboard-read", "clipboard-write"],
            **options,
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda m: m.type == "error" and problems.append(m.text))
        return App(page, app_server.url)

    yield open_window
    for context in contexts:
        context.close()
    # A page asks whether there is a memory, adapters and so on, and may be asked for a key: an
    # answer of "no" is no problem.
    answers = ("status of 404", "status of 401", "Unexpected response code: 403")
    assert [p for p in problems if not any(answer in p for answer in answers)] == []
