"""A PostgreSQL of our own, on a socket in a folder, gone after the tests."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest


@pytest.fixture(scope="session")
def postgres_url(postgres_folder: Path) -> Iterator[str]:
    """URL of an empty database, for tests marked `postgres`."""
    # Below pytest's own folders the path of a socket could exceed its 107 characters.
    home = Path(tempfile.mkdtemp(prefix="mlxsite-pg-"))
    # PostgreSQL refuses to run as root.
    user = "postgres" if os.geteuid() == 0 else None
    if user:
        shutil.chown(home, user)

    def run(name: str, *arguments: str) -> None:
        command = [postgres_folder / name, *arguments]
        done = subprocess.run(
            command, cwd=home, user=user, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    data = str(home / "data")
    run("initdb", "-D", data, "-U", "owner", "--auth=trust", "-E", "UTF8", "--no-sync")
    options = f"-k {home} -c listen_addresses='' -c fsync=off"
    run("pg_ctl", "-D", data, "-w", "-l", str(home / "log"), "-o", options, "start")
    try:
        yield f"postgresql://owner@{quote(str(home), safe='')}/postgres"
    finally:
        run("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
        shutil.rmtree(home)
