"""Whole ways through the web app, with a tiny model that is trained and quantized for real."""

import json

import pytest
from playwright.sync_api import expect

from tests.plugins.server import spawn, stop

pytestmark = [pytest.mark.slow, pytest.mark.browser]

PATIENCE = 60_000  # milliseconds that a job may take
ROW = {
    "messages": [
        {"role": "user", "content": "Who are you?"},
        {"role": "assistant", "content": "A tiny llama."},
    ]
}


@pytest.fixture(scope="module")
def model(tiny_checkpoint):
    return str(tiny_checkpoint("llama"))


@pytest.fixture(scope="module")
def app_server(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("flows")
    places = {
        "MLXSITE_NO_JOBS": "",
        "MLXSITE_CACHE_DIR": str(folder / "cache"),
        "HF_HUB_CACHE": str(folder / "hf"),
    }
    server = spawn(folder, "--model", model, env=places)
    server.folder = folder
    server.wait_until_ready()
    yield server
    stop(server)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rows")
    (folder / "train.jsonl").write_text((json.dumps(ROW) + "\n") * 8)
    return str(folder)


def click(app, name):
    app.page.get_by_role("button", name=name, exact=True).click()


def test_an_adapter_is_trained_and_answers(open_app, model, data):
    app = open_app().open("finetune")
    app.page.get_by_label("Base model").fill(model)
    click(app, "Continue")
    app.page.get_by_label("Folder of the dataset").fill(data)
    click(app, "Inspect")
    expect(app.page.get_by_text("8 rows to learn from")).to_be_visible()
    click(app, "Continue")
    app.page.get_by_label("Layers, from the last").fill("")
    app.page.get_by_label("Iterations").fill("4")
    click(app, "Train")
    expect(app.page.get_by_text("The adapter is in")).to_be_visible(timeout=PATIENCE)
    expect(app.page.locator(".u-over").first).to_be_visible()

    app.open("chat")
    choice = app.page.get_by_role("combobox", name="Adapter")
    choice.select_option(index=1)
    expect(app.page.get_by_text("from now on")).to_be_visible()
    app.say("Who are you?")
    expect(app.page.get_by_text("first token").first).to_be_visible(timeout=PATIENCE)


def test_a_model_is_quantized(open_app, model, app_server):
    app = open_app().open("quantize")
    app.page.get_by_label("Model", exact=True).fill(model)
    click(app, "Inspect")
    expect(app.page.get_by_text("can be quantized")).to_be_visible()
    click(app, "Continue")
    app.page.get_by_label("Group size").select_option("32")
    click(app, "Quantize")

    expect(app.page.get_by_text("Saved in")).to_be_visible(timeout=PATIENCE)


def test_a_dataset_is_built(open_app):
    app = open_app().open("dataset")
    app.page.get_by_role("button", name="SFT from QA pairs").click()
    pairs = "\n\n".join(f"Q: What is {n}?\nA: A number, {n}." for n in range(12))
    app.page.get_by_label("Questions and answers").fill(pairs)
    click(app, "Generate")

    expect(app.page.get_by_text("rows to learn from")).to_be_visible(timeout=PATIENCE)


def test_a_memory_is_made_only_where_it_is_agreed_to(open_app, app_server):
    app = open_app().open()
    click(app, "Skip")
    expect(app.page.get_by_text("A memory of your own")).to_have_count(0)
    assert not (app_server.folder / "state" / "wiki").exists()

    click(app, "Memory")
    click(app, "Set up")

    expect(app.page.get_by_text("Every change is kept in git")).to_be_visible()
    assert (app_server.folder / "state" / "wiki" / "articles").is_dir()
