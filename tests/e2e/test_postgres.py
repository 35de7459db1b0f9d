"""A real PostgreSQL in place of SQLite: every migration, and what the tests of rows ask for."""

import os
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.plugins.server import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.postgres]

# Each app's tests of its rows; what else they test does not depend on the database.
ROWS = ("tests/unit/hub", "tests/unit/jobs", "tests/unit/memory", "tests/unit/sessions")


def test_the_tests_of_rows_hold_there(postgres_url: str) -> None:
    folders = [folder for folder in ROWS if (ROOT / folder).is_dir()]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *folders]
    ended = subprocess.run(
        [*command, "-m", "django_db and not slow", "tests/unit/mlxsite/test_admin_site.py"],
        cwd=ROOT,
        env={**os.environ, "MLXSITE_TEST_DATABASE_URL": postgres_url},
        capture_output=True,
        text=True,
        check=False,
    )

    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert " passed" in ended.stdout


def test_a_server_brings_an_empty_database_up_to_date(
    postgres_url: str, start_process: Callable, tmp_path: Path
) -> None:
    server = start_process("--scripted", env={"MLXSITE_DATABASE_URL": postgres_url})

    with urllib.request.urlopen(f"{server.url}/django-admin/login/", timeout=20) as answer:
        page = answer.read().decode()

    assert 'name="csrfmiddlewaretoken"' in page
    assert not list(tmp_path.rglob("db.sqlite3"))
