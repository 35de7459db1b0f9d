"""What the web app makes of a greeting that comes again: another model, or a server begun anew."""

import re
import shutil

import pytest
from playwright.sync_api import expect

from inference.adapters.target import LayerKind
from tests.plugins.adapters import write_adapter
from tests.plugins.server import spawn, stop
from tests.plugins.web_app import App

pytestmark = [pytest.mark.slow, pytest.mark.browser]

PATIENCE = 60_000  # milliseconds that a model may take to load


@pytest.fixture
def place(tmp_path, tiny_model, tiny_checkpoint):
    """A folder with an adapter of the served model, and with another model."""
    from inference.engine.adapters.targets import find_targets

    found = find_targets(tiny_model("llama").model)
    linear = {path: target for path, target in found.items() if target.kind is LayerKind.LINEAR}
    model = str(tiny_checkpoint("llama"))
    write_adapter(tmp_path / "cache" / "adapters" / "poet", linear, model=model)
    shutil.copytree(tiny_checkpoint("hybrid"), tmp_path / "cache" / "models" / "tiny" / "hybrid")
    return tmp_path, model


@pytest.fixture
def start(place):
    """Call with a port for the one of before; returns the server."""
    folder, model = place
    started = []

    def begin(port=None):
        places = {"MLXSITE_CACHE_DIR": str(folder / "cache"), "HF_HUB_CACHE": str(folder / "hf")}
        server = spawn(folder, "--model", model, env=places, port=port)
        started.append(server)
        server.wait_until_ready()
        return server

    yield begin
    for server in started:
        stop(server)


@pytest.fixture
def app_server(start):
    return start()


def choose(app):
    chip = app.page.get_by_role("combobox", name="Adapter")
    expect(chip.locator("option", has_text="poet")).to_be_enabled()
    chip.select_option("poet")
    expect(app.page.get_by_text("Answers by poet")).to_be_visible()
    return chip


def test_an_adapter_of_the_model_before_no_longer_answers(open_app):
    app = open_app().open()
    chip = choose(app)
    app.page.locator("#model-button").click()
    row = app.page.get_by_role("listitem").filter(has_text="hybrid")
    row.get_by_role("button", name="Serve").click()

    expect(app.page.get_by_text("Now serving tiny/hybrid")).to_be_visible(timeout=PATIENCE)
    expect(app.page.locator("#model-button")).to_contain_text("hybrid")
    app.page.keyboard.press("Escape")
    expect(chip).to_have_value("")
    expect(chip.locator("option", has_text="poet")).to_be_disabled()


@pytest.fixture
def patient_app(browser, app_server):
    """An `App` whose browser may complain, as it does of a server that is away."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    yield App(page, app_server.url).open()
    page.context.close()


def test_a_server_begun_anew_mounts_the_chosen_adapter_again(patient_app, app_server, start):
    app = patient_app
    chip = choose(app)
    port = int(app_server.url.rpartition(":")[2])
    stop(app_server)
    expect(app.page.get_by_text("server unreachable")).to_be_visible()

    start(port)

    expect(app.page.get_by_text("server unreachable")).to_have_count(0)
    expect(chip).to_have_value("poet")
    expect(chip.locator("option:checked")).to_have_text(re.compile("✓"))
    app.say("Who are you?")
    expect(app.page.get_by_text("first token").first).to_be_visible(timeout=PATIENCE)
