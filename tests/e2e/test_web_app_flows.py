"""Whole ways through the web app, with a tiny model that is trained and quantized for real."""

import json
import re
import shutil

import pytest
from playwright.sync_api import expect

from hub.cached_repo import CachedRepo
from hub.config import HubConfig
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
def app_server(model, tiny_checkpoint, tmp_path_factory):
    folder = tmp_path_factory.mktemp("flows")
    shutil.copytree(tiny_checkpoint("hybrid"), folder / "cache" / "models" / "tiny" / "hybrid")
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
    expect(app.page.get_by_text("every night at 03:00")).to_be_visible()
    assert (app_server.folder / "state" / "wiki" / "articles").is_dir()


def test_an_article_is_read_with_its_links_and_its_history(open_app, app_server):
    vault = app_server.folder / "state" / "wiki"
    (vault / "articles").mkdir(parents=True, exist_ok=True)
    links = {"Garden": "Beds, and a [[Pond]].", "Pond": "Water, with frogs."}
    for name, text in links.items():
        (vault / "articles" / f"{name}.md").write_text(f"# {name}\n\n{text}\n")
    app = open_app().open()
    app.page.get_by_role("button", name=re.compile("^Memory")).click()
    click(app, "Garden")

    app.page.get_by_role("link", name="Pond").click()

    expect(app.page.get_by_text("Water, with frogs.")).to_be_visible()
    expect(app.page.get_by_text("Linked from")).to_be_visible()
    app.page.get_by_role("tab", name="History").click()
    expect(app.page.get_by_text("No history yet.")).to_be_visible()


@pytest.fixture
def superseded(app_server):
    """The content of a model's old revision, whose newer one is here."""
    config = HubConfig(
        models_dir=app_server.folder / "cache" / "models", hf_cache_dir=app_server.folder / "hf"
    )
    repo = CachedRepo.of(config, "owner/model")
    repo.blobs.mkdir(parents=True)
    for commit, blob in (("new", "w2"), ("old", "w1")):
        repo.blob(blob).write_bytes(bytes(5000))
        repo.link(commit, "model.safetensors", blob)
    repo.write_ref("main", "new")
    return repo.blob("w1")


def test_what_a_newer_revision_replaced_is_deleted_after_a_second_look(open_app, superseded):
    app = open_app().open()
    click(app, "Settings")
    click(app, "Look for old revisions")
    expect(app.page.get_by_text("owner/model")).to_be_visible()
    click(app, "Free 5 kB…")
    assert superseded.exists()

    click(app, "Delete 5 kB")

    expect(app.page.get_by_text("5 kB freed")).to_be_visible()
    assert not superseded.exists()


def test_another_model_is_served_without_a_restart(open_app):
    """The last of this file: what follows would be answered by the other model."""
    app = open_app().open()
    app.say("Who are you?")
    expect(app.page.get_by_text("first token").first).to_be_visible(timeout=PATIENCE)
    app.page.locator("#model-button").click()
    row = app.page.get_by_role("listitem").filter(has_text="hybrid")
    row.get_by_role("button", name="Serve").click()

    expect(app.page.get_by_text("Now serving tiny/hybrid")).to_be_visible(timeout=PATIENCE)
    app.page.keyboard.press("Escape")
    expect(app.page.locator("#model-button")).to_contain_text("hybrid")
    app.say("And now?")
    expect(app.answers).to_have_count(2)
    expect(app.page.get_by_text("first token").nth(1)).to_be_visible(timeout=PATIENCE)
