"""Startup checks: each says what is wrong and what to do."""

from types import SimpleNamespace

import pytest

from hub.token import Tokens
from mlxsite import checks


def test_good_folders_pass(settings, tmp_path):
    settings.STATE_DIR, settings.CACHE_DIR = tmp_path / "state", tmp_path / "cache"

    assert checks.folders_are_writable() == []
    assert (tmp_path / "state").is_dir()


def test_a_folder_that_cannot_be_made_is_an_error_with_a_hint(settings, tmp_path):
    (tmp_path / "file").write_text("")
    settings.STATE_DIR, settings.CACHE_DIR = tmp_path / "file" / "state", tmp_path

    (error,) = checks.folders_are_writable()

    assert error.id == "mlxsite.E001"
    assert str(settings.STATE_DIR) in error.msg
    assert "MLXSITE_STATE_DIR" in error.hint


def test_a_folder_without_permission_is_an_error(settings, tmp_path, monkeypatch):
    settings.STATE_DIR, settings.CACHE_DIR = tmp_path, tmp_path
    monkeypatch.setattr(checks.os, "access", lambda path, mode: False)

    assert [error.id for error in checks.folders_are_writable()] == ["mlxsite.E001", "mlxsite.E002"]


@pytest.mark.parametrize("name", ["secret_key", "hf.json"])
def test_a_secret_that_others_can_read_is_reported(settings, tmp_path, name):
    settings.STATE_DIR = tmp_path
    settings.HF_TOKENS = Tokens(saved=tmp_path / "hf.json", cli_file=tmp_path / "none")
    assert checks.secrets_are_private() == []
    secret = tmp_path / name
    secret.write_text("k")

    secret.chmod(0o600)
    assert checks.secrets_are_private() == []

    secret.chmod(0o644)
    (warning,) = checks.secrets_are_private()
    assert warning.hint == f"Run: chmod 600 {secret}"


def test_a_database_url_that_cannot_be_used_is_an_error(settings):
    assert checks.database_is_usable() == []
    settings.DATABASE_PROBLEM = "it names no database"

    (error,) = checks.database_is_usable()

    assert error.id == "mlxsite.E004"
    assert "MLXSITE_DATABASE_URL cannot be used: it names no database" in error.msg


def test_a_misspelt_variable_is_reported_by_name(settings):
    settings.ENVIRONMENT = SimpleNamespace(unknown=("MLXSITE_PROT",))

    (warning,) = checks.variables_are_known()

    assert "MLXSITE_PROT" in warning.msg


@pytest.mark.parametrize(("value", "wrong"), [("0", 0), ("1", 0), ("yes", 1), ("true", 1)])
def test_a_switch_that_is_neither_on_nor_off_is_an_error(settings, value, wrong):
    settings.ENVIRONMENT = SimpleNamespace(p2r_trace=value)

    errors = checks.switches_are_on_or_off()

    assert [error.id for error in errors] == ["mlxsite.E003"] * wrong
    assert all(repr(value) in error.msg for error in errors)


@pytest.mark.parametrize(
    ("at", "batch", "wrong"),
    [
        ("03:00", "1", []),
        ("off", "8", []),
        ("3am", "1", ["mlxsite.E005"]),
        ("03:00", "none", ["mlxsite.E006"]),
    ],
)
def test_a_schedule_of_the_memory_that_cannot_be_read_is_an_error(settings, at, batch, wrong):
    settings.ENVIRONMENT = SimpleNamespace(memory_at=at, memory_batch=batch)

    assert [error.id for error in checks.synthesis_can_be_scheduled()] == wrong


def test_other_platforms_get_a_warning(monkeypatch):
    assert checks.platform_is_supported() == []
    monkeypatch.setattr(checks.sys, "platform", "plan9")

    assert "plan9" in checks.platform_is_supported()[0].msg
