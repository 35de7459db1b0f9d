"""The first user, on a machine where no server has run yet."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[5]


def test_it_needs_no_other_command_before(tmp_path):
    command = [sys.executable, "manage.py", "createsuperuser", "--noinput"]
    made = subprocess.run(
        [*command, "--username", "owner", "--email", "owner@example.org"],
        cwd=ROOT,
        env={
            **os.environ,
            "MLXSITE_STATE_DIR": str(tmp_path),
            "DJANGO_SUPERUSER_PASSWORD": "correct horse",
        },
        capture_output=True,
        text=True,
        check=False,
    )

    assert (made.returncode, made.stdout) == (0, "Superuser created successfully.\n"), made.stderr
    database = sqlite3.connect(tmp_path / "db.sqlite3")
    rows = database.execute("select username, is_superuser from auth_user").fetchall()
    database.close()
    assert rows == [("owner", 1)]
