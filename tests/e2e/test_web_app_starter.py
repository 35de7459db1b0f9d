"""The web app in front of the starter model: what a person sees first."""

import re

import pytest
from playwright.sync_api import expect

from tests.plugins.server import spawn, stop

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.starter]

PATIENCE = 60_000  # milliseconds; a real model on a busy machine


@pytest.fixture(scope="module")
def app_server(starter_model, tmp_path_factory):
    server = spawn(
        tmp_path_factory.mktemp("starter-app"), "--model", str(starter_model), "--temperature", "0"
    )
    server.wait_until_ready()
    yield server
    stop(server)


def test_a_question_is_answered_and_the_next_one_finds_the_prompt_in_the_cache(open_app):
    app = open_app().open()
    app.say("What is the capital of France?")
    expect(app.answers.last).to_contain_text("Paris", timeout=PATIENCE)
    expect(app.answers.last.get_by_text(re.compile("first token"))).to_be_visible(timeout=PATIENCE)

    app.say("And of Italy?")

    expect(app.answers.last.get_by_text(re.compile(r"\d+ cached"))).to_be_visible(timeout=PATIENCE)
