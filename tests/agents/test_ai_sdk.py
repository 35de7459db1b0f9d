"""The AI SDK (npm `ai`), over each protocol that the server speaks."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.agents import play
from tests.agents.drive import start_server
from tests.plugins.server import stop

PROTOCOLS = ("chat", "responses", "messages")
SAID = "There is nothing to do."
PATIENCE = 60  # seconds

pytestmark = pytest.mark.parametrize("protocol", PROTOCOLS)


@pytest.fixture(scope="module")
def results(installed, tmp_path_factory):
    """By protocol, what `ai_sdk.mjs` saw."""
    folder = tmp_path_factory.mktemp("ai-sdk")
    server = start_server(folder, folder)
    program = Path(__file__).with_name("ai_sdk.mjs")
    command = ["node", program, server.url, installed, play.task("blue")]
    result = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    stop(server)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("how", ["chat", "stream"])
def test_an_answer_arrives_whole_or_in_pieces(results, protocol, how):
    answer = {"text": SAID, "finishReason": "stop", "outputTokens": len(SAID) + 1}

    assert results[protocol][how] == answer


def test_a_task_of_two_tools_is_done(results, protocol):
    outcome = results[protocol]["tools"]

    assert outcome["errors"] == []
    assert outcome["called"] == ["read", "edit"]
    assert outcome["note"] == "colour = blue\n"
    assert outcome["text"] == "It is blue now."


def test_thoughts_arrive_as_such(results, protocol):
    thoughts = results[protocol]["tools"]["thoughts"]

    assert thoughts == ["I read the file first.", "Now I change it.", None]


def test_an_object_has_the_shape_that_was_asked_for(results, protocol):
    assert results[protocol]["object"] == play.OBJECT
