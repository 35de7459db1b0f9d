"""What the page about the server tells, and what it must not."""

import json

import pytest
from django.test import override_settings

from hub.token import Tokens
from inference.options import TABLE, ServeOptions
from mlxsite import server_facts
from tests.plugins.five_models import M4_PRO


@pytest.fixture(autouse=True)
def m4_pro(monkeypatch):
    monkeypatch.setattr(server_facts, "this_machine", lambda config: M4_PRO)


def facts(title):
    return dict(next(part.facts for part in server_facts.sections() if part.title == title))


def test_machine_and_places_are_told(settings):
    assert facts("Machine")["Memory"] == "25.8 GB"
    assert facts("Places")["State"] == str(settings.STATE_DIR)
    assert facts("Places")["Database"].startswith("SQLite: ")


def test_without_a_server_no_model_and_no_options_are_told():
    assert facts("Served model") == {"Model": "none: this process serves no model"}
    assert server_facts.option_rows() == []


def test_every_option_is_told_and_whether_somebody_set_it(settings):
    settings.SERVE_OPTIONS = ServeOptions(port=9000, scripted=True)

    rows = {row.spelling: row for row in server_facts.option_rows()}

    assert len(rows) == len(TABLE)
    assert (rows["--port"].value, rows["--port"].is_default) == ("9000", False)
    assert (rows["--scripted"].value, rows["--batch"].is_default) == ("on", True)
    assert rows["--model"].value == "unset"
    assert rows["MLXSITE_GRAMMAR"].value == "on"


def test_no_secret_is_told(settings, tmp_path):
    settings.API_KEYS = ("key-1", "key-2")
    saved = tmp_path / "hf.json"
    saved.write_text(json.dumps({"token": "hf_hidden"}))
    settings.HF_TOKENS = Tokens(saved=saved, cli_file=tmp_path / "none")
    settings.SERVE_OPTIONS = ServeOptions()

    told = f"{server_facts.sections()}{server_facts.option_rows()}"

    callers = facts("Who may call")
    assert callers["API keys"] == "2 set"
    assert callers["Hugging Face token"] == "set, from: saved"
    assert not [secret for secret in ("key-1", "hf_hidden", settings.SECRET_KEY) if secret in told]


@override_settings(ALLOWED_HOSTS=["*"])
def test_a_server_on_every_interface_says_so():
    assert facts("Who may call")["Host names"] == "any address"
