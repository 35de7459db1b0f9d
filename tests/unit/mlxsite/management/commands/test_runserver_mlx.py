"""The command's order of events, with engine, jobs and web server replaced."""

import io
import socket

import pytest
from django.core.management import ManagementUtility
from django.core.management.base import CommandError
from django.db import OperationalError

from hub.errors import ModelNotFound
from inference.errors import InferenceError
from mlxsite.management.commands import runserver_mlx


class Service:
    def describe(self):
        return [("Model", "owner/name")]


class Jobs:
    def __init__(self, log):
        self.start = lambda: log.append(("start jobs",))
        self.stop = lambda: log.append(("stop jobs",))


@pytest.fixture
def events(monkeypatch, settings):
    """What the command did, in order."""
    settings.SERVE_ENVIRONMENT = {}
    log = []

    def start(options, hub):
        log.append(("start", options.model))
        return Service()

    def serve(application, *, host, port, lifecycle, on_ready):
        log.append(("serve", host, lifecycle.timeout))
        on_ready()

    monkeypatch.setattr(runserver_mlx, "JobConsumer", lambda **_: Jobs(log))
    monkeypatch.setattr(runserver_mlx.runtime, "start", start)
    monkeypatch.setattr(
        runserver_mlx.runtime, "stop", lambda *, flush_seconds: log.append(("stop",))
    )
    monkeypatch.setattr(runserver_mlx.daphne_server, "serve", serve)
    monkeypatch.setattr(runserver_mlx, "call_command", lambda name, **options: log.append((name,)))
    return log


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return str(listener.getsockname()[1])


def execute(*argv):
    """Run the command as from a shell, errors raised; return what it printed."""
    command = runserver_mlx.Command(stdout=io.StringIO(), no_color=True)
    parser = command.create_parser("manage.py", "runserver_mlx")
    arguments = vars(parser.parse_args(["--port", free_port(), *argv]))
    command.handle(**arguments)
    return command.stdout.getvalue()


def test_database_then_model_then_web_and_the_engine_stops_last(events):
    printed = execute("some-model")

    assert events == [
        ("migrate",),
        ("start", "some-model"),
        ("start jobs",),
        ("serve", "127.0.0.1", 120.0),
        ("stop jobs",),
        ("stop",),
    ]
    assert "owner/name" in printed
    assert "/v1" in printed


@pytest.mark.parametrize(("timeout_ms", "seconds"), [("0", 10.0), ("60000", 60.0)])
def test_prompts_are_written_though_answers_used_up_the_time(
    events, monkeypatch, settings, timeout_ms, seconds
):
    settings.SERVE_ENVIRONMENT = {"MLXSITE_SHUTDOWN_TIMEOUT_MS": timeout_ms}
    monkeypatch.setattr("mlxsite.server.lifecycle.time.monotonic", lambda: 100.0)
    monkeypatch.setattr(runserver_mlx.runtime, "begin_stop", lambda: events.append("begin"))
    monkeypatch.setattr(
        runserver_mlx.runtime, "stop", lambda *, flush_seconds: events.append(flush_seconds)
    )
    monkeypatch.setattr(
        runserver_mlx.daphne_server, "serve", lambda *_, lifecycle, **__: lifecycle.begin_drain()
    )

    execute("--no-jobs")

    assert events[-2:] == ["begin", seconds]


def test_flags_that_cannot_be_together_end_the_start_before_anything_is_done(events):
    with pytest.raises(CommandError, match="--prompt-cache 0 turns off"):
        execute("--ssd-cache", "somewhere", "--prompt-cache", "0")

    assert events == []


def test_a_flag_without_the_one_it_belongs_to_is_warned_of(events, capsys):
    execute("--ssd-cache-max", "5")

    assert "--ssd-cache-max has no effect without --ssd-cache" in capsys.readouterr().err
    assert ("stop",) in events


def test_a_database_that_fails_is_named_before_a_model_is_loaded(events, monkeypatch):
    def fail(name, **options):
        raise OperationalError("disk I/O error")

    monkeypatch.setattr(runserver_mlx, "call_command", fail)

    with pytest.raises(CommandError, match=r"the database failed \(.*\): disk I/O error"):
        execute()

    assert events == []


@pytest.mark.parametrize("error", [ModelNotFound("no such model"), InferenceError("too big")])
def test_a_model_that_cannot_be_served_is_one_line(events, monkeypatch, error):
    def start(options, hub):
        raise error

    monkeypatch.setattr(runserver_mlx.runtime, "start", start)

    with pytest.raises(CommandError, match=str(error)):
        execute()


def test_a_taken_port_stops_the_start_before_anything_is_loaded(events):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])

        with pytest.raises(CommandError, match=port):
            execute("--port", port)

    assert events == []


def test_a_bad_variable_stops_the_start_before_anything_is_loaded(events, settings):
    settings.SERVE_ENVIRONMENT = {"MLXSITE_BATCH": "none"}

    with pytest.raises(CommandError, match="MLXSITE_BATCH: 'none' is not allowed"):
        execute()

    assert events == []


def test_other_machines_are_let_in_only_with_keys(events, settings):
    with pytest.raises(CommandError, match="MLXSITE_API_KEYS"):
        execute("--host", "0.0.0.0")
    assert events == []

    settings.API_KEYS = ("key",)
    printed = execute("--host", "0.0.0.0")

    assert settings.ALLOWED_HOSTS == ["*"]
    assert "with an API key" in printed
    assert "http://127.0.0.1" in printed


def test_the_engine_stops_when_the_server_cannot_listen(events, monkeypatch):
    def serve(*args, **options):
        raise runserver_mlx.daphne_server.ListenError("cannot listen")

    monkeypatch.setattr(runserver_mlx.daphne_server, "serve", serve)

    with pytest.raises(CommandError, match="cannot listen"):
        execute()
    assert events[-1] == ("stop",)


def test_an_interrupted_start_is_no_traceback(events, monkeypatch):
    def start(options, hub):
        raise KeyboardInterrupt

    monkeypatch.setattr(runserver_mlx.runtime, "start", start)

    with pytest.raises(CommandError, match="stopped before"):
        execute()


def test_an_unknown_flag_is_named(events, capsys):
    with pytest.raises(SystemExit) as ended:
        ManagementUtility(["manage.py", "runserver_mlx", "--draft-model", "x"]).execute()

    assert ended.value.code == 2
    assert "--draft-model" in capsys.readouterr().err


def test_settings_stand_between_environment_and_default(events, settings):
    settings.SERVE_DEFAULTS = {"model": "from-settings"}

    execute()

    assert ("start", "from-settings") in events


@pytest.mark.parametrize(
    ("terminal", "flags", "opened"), [(True, [], 1), (True, ["--no-open"], 0), (False, [], 0)]
)
def test_a_browser_opens_for_a_person_only(events, monkeypatch, terminal, flags, opened):
    calls = []
    monkeypatch.setattr(runserver_mlx, "_is_desktop", lambda: terminal)
    monkeypatch.setattr(runserver_mlx.webbrowser, "open", calls.append)

    execute(*flags)
    for thread in runserver_mlx.threading.enumerate():
        if thread.daemon and thread.name.endswith("(open)"):
            thread.join(5)

    assert len(calls) == opened
