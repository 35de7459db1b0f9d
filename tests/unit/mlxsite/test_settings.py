"""The environment, read once into one object."""

from pathlib import Path

import pytest
from django.conf import settings

from mlxsite.settings import Environment


def test_without_variables_folders_are_in_the_home(monkeypatch):
    monkeypatch.setenv("HOME", "/somewhere")

    environment = Environment.read({})

    assert environment.state_dir == Path("/somewhere/.mlxsite")
    assert environment.cache_dir == Path("/somewhere/.cache/mlxsite")
    assert environment.hf_cache_dir == Path("/somewhere/.cache/huggingface/hub")
    assert environment.api_keys == environment.allowed_hosts == ()


def test_folders_can_be_moved():
    environment = Environment.read({"MLXSITE_STATE_DIR": "/a", "MLXSITE_CACHE_DIR": "/b"})

    assert (environment.state_dir, environment.cache_dir) == (Path("/a"), Path("/b"))


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"HF_HOME": "/hf"}, "/hf/hub"),
        ({"HF_HOME": "/hf", "HF_HUB_CACHE": "/hub"}, "/hub"),
        ({"HF_HOME": "", "HF_HUB_CACHE": "/hub"}, "/hub"),
    ],
)
def test_the_hugging_face_cache_is_where_its_own_variables_say(variables, folder):
    assert Environment.read(variables).hf_cache_dir == Path(folder)


def test_the_hub_and_its_token_are_what_its_own_variables_say(monkeypatch):
    monkeypatch.setenv("HOME", "/me")
    mirror = Environment.read(
        {"HF_ENDPOINT": "https://mirror.example/", "HF_TOKEN": "hf_t", "HF_TOKEN_PATH": "/token"}
    )
    plain = Environment.read({"HF_HOME": "/hf"})

    assert (mirror.hf_endpoint, mirror.hf_token) == ("https://mirror.example", "hf_t")
    assert mirror.hf_token_file == Path("/token")
    assert (plain.hf_endpoint, plain.hf_token) == ("https://huggingface.co", None)
    assert plain.hf_token_file == Path("/hf/token")


def test_no_token_is_shown_when_the_environment_is_printed():
    assert "hf_secret" not in repr(Environment.read({"HF_TOKEN": "hf_secret"}))


def test_a_database_is_named_by_a_variable_that_is_never_printed():
    environment = Environment.read({"MLXSITE_DATABASE_URL": "postgresql://me:hidden@host/name"})

    assert environment.database_url == "postgresql://me:hidden@host/name"
    assert environment.unknown == ()
    assert "hidden" not in repr(environment)
    assert Environment.read({}).database_url is None


def test_lists_are_split_at_commas_and_trimmed():
    environment = Environment.read(
        {"MLXSITE_API_KEYS": " one, two,,", "MLXSITE_ALLOWED_HOSTS": "studio.local"}
    )

    assert environment.api_keys == ("one", "two")
    assert environment.allowed_hosts == ("studio.local",)


def test_server_options_are_kept_as_text_and_unknown_names_are_remembered():
    environment = Environment.read(
        {"MLXSITE_PORT": "x", "MLXSITE_BATCH": "", "MLXSITE_PROT": "1", "PORT": "2"}
    )

    assert environment.serve == {"MLXSITE_PORT": "x"}
    assert environment.unknown == ("MLXSITE_PROT",)


@pytest.mark.parametrize(("variables", "text"), [({}, "0"), ({"MLXSITE_P2R_TRACE": "1"}, "1")])
def test_traces_are_off_unless_the_variable_turns_them_on(variables, text):
    environment = Environment.read(variables)

    assert (environment.p2r_trace, environment.unknown) == (text, ())


def test_defaults_are_safe():
    assert settings.P2R_TRACE is False
    assert settings.DEBUG is False
    assert set(settings.ALLOWED_HOSTS) >= {"localhost", "127.0.0.1", "[::1]"}
    assert "*" not in settings.ALLOWED_HOSTS


def test_tests_keep_away_from_the_home():
    assert Path.home() not in settings.STATE_DIR.parents
    assert Path.home() not in settings.CACHE_DIR.parents


@pytest.mark.parametrize(
    ("variables", "folder"), [({}, "/me/.pi/agent"), ({"PI_CODING_AGENT_DIR": "/pi"}, "/pi")]
)
def test_the_folder_of_pi_is_where_its_own_variable_says(variables, folder, monkeypatch):
    monkeypatch.setenv("HOME", "/me")

    assert Environment.read(variables).pi_agent_dir == Path(folder)
