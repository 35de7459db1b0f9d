"""What pi makes of the extension that `harness_pi` writes, whether or not a server answers."""

import os
import subprocess
import sys

import pytest

from tests.agents import packages
from tests.agents.agents import ROOT
from tests.agents.drive import start_server
from tests.plugins.server import stop


@pytest.fixture
def harness_pi(tmp_path):
    """Call with arguments to run the command for a pi with a home of its own."""

    def run(*arguments):
        command = [sys.executable, "manage.py", "harness_pi", *arguments]
        env = {**os.environ, "PI_CODING_AGENT_DIR": str(tmp_path / "pi")}
        subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True)

    return run


@pytest.fixture
def list_models(installed, tmp_path):
    """Call to get the table of models that pi prints."""

    def run():
        program = packages.folder() / "node_modules" / ".bin" / "pi"
        env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PI_OFFLINE": "1"}
        env["PI_CODING_AGENT_DIR"] = str(tmp_path / "pi")
        result = subprocess.run(
            [program, "--list-models"], env=env, check=True, capture_output=True, text=True
        )
        # It has been on stdout and on stderr, by version.
        return [line.split() for line in (result.stdout + result.stderr).splitlines()]

    return run


def test_pi_knows_the_served_model_until_the_extension_is_removed(
    harness_pi, list_models, tmp_path
):
    served = ["mlxsite", "local", "200K", "32K", "yes", "no"]
    server = start_server(tmp_path, tmp_path)
    harness_pi("--port", server.url.rpartition(":")[2])
    listed = list_models()
    stop(server)
    listed_while_down = list_models()
    harness_pi("--remove")

    assert listed[0] == ["provider", "model", "context", "max-out", "thinking", "images"]
    assert listed[1:] == listed_while_down[1:] == [served]
    assert served not in list_models()
