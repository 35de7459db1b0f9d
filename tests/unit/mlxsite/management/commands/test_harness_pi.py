import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import CommandError
from pytest_django.fixtures import Settings

from mlxsite.clients.served import KeyRefused
from mlxsite.management.commands import harness_pi

MODEL = {
    "id": "org/model",
    "owned_by": "mlxsite",
    "context_window": 4096,
    "reasoning": True,
    "vision": False,
}
Server = Callable[[str, str | None], list[dict[str, Any]]]


@pytest.fixture
def path(settings: Settings, tmp_path: Path) -> Path:
    settings.PI_AGENT_DIR = tmp_path
    settings.SERVE_ENVIRONMENT = {}
    return tmp_path / "extensions" / "mlxsite-provider.ts"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str | None]]:
    """Base URL and key of each question to the server, which serves `MODEL`."""
    questions: list[tuple[str, str | None]] = []

    def ask(base_url: str, key: str | None) -> list[dict[str, Any]]:
        questions.append((base_url, key))
        return [{**MODEL, "dsa": False}]

    monkeypatch.setattr(harness_pi, "ask", ask)
    return questions


def execute(*argv: str) -> list[str]:
    """Run the command as from a shell, errors raised; return the lines it printed."""
    command = harness_pi.Command(stdout=io.StringIO(), no_color=True)
    parser = command.create_parser("manage.py", "harness_pi")
    command.execute(**vars(parser.parse_args(list(argv))))
    return str(command.stdout.getvalue()).splitlines()


def test_it_writes_the_extension_and_says_how_to_use_it(path: Path, asked: object) -> None:
    assert execute() == [
        f"Wrote {path}",
        "At every start, pi asks http://127.0.0.1:8080/v1 what is served.",
        "Now it is org/model.",
        "Start it with: pi --provider mlxsite",
    ]
    assert '"org/model"' in path.read_text()
    assert "dsa" not in path.read_text()


def test_a_server_that_is_down_is_said(
    path: Path, asked: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(harness_pi, "ask", lambda base_url, key: [])

    assert execute()[2] == (
        "Now no server answers there. Until that changes, pi knows no model of ours."
    )


def test_a_second_run_keeps_the_model_though_the_server_is_down(
    path: Path, asked: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute()
    monkeypatch.setattr(harness_pi, "ask", lambda base_url, key: [])

    assert execute()[2] == (
        "Now no server answers there. Until that changes, pi takes it to be org/model."
    )
    assert '"org/model"' in path.read_text()


def test_a_server_that_wants_a_key_is_said(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(base_url: str, key: str | None) -> list[dict[str, Any]]:
        raise KeyRefused

    monkeypatch.setattr(harness_pi, "ask", refuse)

    assert execute()[2].startswith("Now it wants a key; set MLXSITE_API_KEYS, here and for pi.")


@pytest.mark.parametrize(
    ("argv", "url"),
    [
        (["--port", "9000"], "http://127.0.0.1:9000/v1"),
        (["--host", "studio.local"], "http://studio.local:8080/v1"),
        (["--host", "0.0.0.0"], "http://127.0.0.1:8080/v1"),
        (["--host", "::1", "--port", "9000"], "http://[::1]:9000/v1"),
    ],
)
def test_the_server_can_be_named(
    argv: list[str], url: str, path: Path, asked: list[tuple[str, str | None]]
) -> None:
    execute(*argv)

    assert asked == [(url, None)]
    assert f'"{url}"' in path.read_text()


def test_the_servers_own_variables_count(
    path: Path, asked: list[tuple[str, str | None]], settings: Settings
) -> None:
    settings.SERVE_ENVIRONMENT = {"MLXSITE_PORT": "9000"}
    settings.API_KEYS = ("first-key", "second-key")

    execute()

    assert asked == [("http://127.0.0.1:9000/v1", "first-key")]
    assert "first-key" not in path.read_text()


def test_a_port_out_of_range_is_refused(path: Path, asked: object) -> None:
    with pytest.raises(CommandError, match="'0' is not a whole number from 1 to 65,535"):
        execute("--port", "0")


def test_a_bad_variable_is_refused(path: Path, asked: object, settings: Settings) -> None:
    settings.SERVE_ENVIRONMENT = {"MLXSITE_PORT": "x"}

    with pytest.raises(CommandError, match="MLXSITE_PORT"):
        execute()


def test_remove_undoes_it(path: Path, asked: object) -> None:
    execute()

    assert execute("--remove") == [f"Removed {path}"]
    assert not path.exists()
    assert execute("--remove") == [f"Nothing to remove: no {path}"]


def test_a_file_of_somebody_else_is_left_alone(path: Path, asked: object) -> None:
    path.parent.mkdir()
    path.write_text("mine")

    for argv in ([], ["--remove"]):
        with pytest.raises(CommandError, match="was not written by harness_pi"):
            execute(*argv)
    assert path.read_text() == "mine"


def test_a_folder_that_cannot_be_written_is_said(path: Path, asked: object) -> None:
    path.parent.write_text("a file where the folder should be")

    with pytest.raises(CommandError, match="cannot be changed"):
        execute()
