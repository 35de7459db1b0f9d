"""Python packages over the vendors' SDKs: the programs of docs/clients.md, as people copy them."""

import os
import subprocess

import pytest

from tests.agents import packages
from tests.agents.drive import start_server
from tests.plugins import clients_page
from tests.plugins.server import stop

NOTHING = "There is nothing to do.\n"
PATIENCE = 120  # seconds


@pytest.fixture(scope="module")
def url(installed, tmp_path_factory):
    folder = tmp_path_factory.mktemp("frameworks")
    server = start_server(folder, folder)
    yield server.url
    stop(server)


def run(command, **env):
    python = packages.folder() / packages.PYTHON
    result = subprocess.run(
        [python.with_name(command[0]), *command[1:]],
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize(
    ("number", "package", "answer"),
    [
        (0, "langchain_openai", NOTHING),
        (1, "instructor", "colour='blue'\n"),
        (2, "pydantic_ai", NOTHING),
    ],
)
def test_a_program_prints_the_answer(number, package, answer, url):
    program = clients_page.blocks("Python frameworks", "python", url)[number]

    assert package in program
    assert run(["python", "-c", program]) == answer


def test_llm_answers_by_its_settings(url, tmp_path):
    [settings] = clients_page.blocks("Python frameworks", "yaml", url)
    (tmp_path / "extra-openai-models.yaml").write_text(settings)

    def llm(*arguments):
        return run(["llm", *arguments], LLM_USER_PATH=str(tmp_path))

    llm("keys", "set", "mlxsite", "--value", "none")

    assert llm("-m", "local", "Hello") == NOTHING
    schema = ["--schema", "colour str", "Which colour is the sky?"]
    assert llm("-m", "local", *schema) == '{"colour": "blue"}\n'
