"""The database: a file unless a URL names another, and never one that nobody meant."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from mlxsite import database

ROOT = Path(__file__).resolve().parents[3]


def test_the_default_is_a_file_for_several_processes():
    options = database.sqlite(Path("/state/db.sqlite3"))["OPTIONS"]

    assert options["transaction_mode"] == "IMMEDIATE"
    assert "journal_mode=WAL" in options["init_command"]
    assert "busy_timeout=20000" in options["init_command"]


@pytest.mark.skipif(settings.DATABASES["default"]["ENGINE"].endswith("postgresql"), reason="SQLite")
@pytest.mark.django_db
def test_sqlite_enforces_foreign_keys_and_waits():
    with connection.cursor() as cursor:
        foreign_keys = cursor.execute("PRAGMA foreign_keys").fetchone()[0]
        busy_timeout = cursor.execute("PRAGMA busy_timeout").fetchone()[0]

    assert (foreign_keys, busy_timeout) == (1, 20_000)


@pytest.mark.parametrize("scheme", ["postgresql", "postgres"])
def test_a_url_names_a_postgresql_database(scheme):
    found = database.from_url(f"{scheme}://me:s%40crt@db.example:5433/chats?sslmode=require")

    assert found["ENGINE"] == "django.db.backends.postgresql"
    assert (found["NAME"], found["HOST"], found["PORT"]) == ("chats", "db.example", 5433)
    assert (found["USER"], found["PASSWORD"]) == ("me", "s@crt")
    assert found["OPTIONS"] == {"sslmode": "require"}


def test_a_url_may_name_a_unix_socket():
    assert database.from_url("postgresql://%2Frun%2Fpg/chats")["HOST"] == "/run/pg"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("mysql://me:hidden@host/name", "does not begin with postgresql://"),
        ("hidden", "does not begin with postgresql://"),
        ("postgresql://me:hidden@host:port/name", "has not the form"),
        ("postgresql://me:hidden@host:5432", "names no database"),
        ("postgresql://me:hidden@[host/name", "has not the form"),
    ],
)
def test_a_url_that_cannot_be_used_is_refused_without_its_password(url, reason):
    with pytest.raises(database.BadDatabaseUrl, match=reason) as refused:
        database.from_url(url)

    assert "hidden" not in str(refused.value)


def test_without_psycopg_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setattr(database, "find_spec", lambda name: None)

    with pytest.raises(database.BadDatabaseUrl, match="pip install"):
        database.from_url("postgresql://host/name")


def test_a_command_that_needs_the_database_stops_with_the_reason():
    environment = {**os.environ, "MLXSITE_DATABASE_URL": "mysql://me:hidden@host/name"}
    command = [sys.executable, "manage.py", "migrate"]
    ended = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )

    assert ended.returncode == 1
    assert "MLXSITE_DATABASE_URL cannot be used" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert "hidden" not in ended.stderr
