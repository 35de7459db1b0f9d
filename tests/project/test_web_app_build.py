"""The committed build of the web app belongs to its sources, and names no other server."""

import hashlib
import json
import subprocess

from frontend.dist import DIST, SOURCES


def sources_hash() -> str:
    """The same hash as app/scripts/stamp.js writes; over what git would track."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "."],
        cwd=SOURCES,
        capture_output=True,
        text=True,
        check=True,
    )
    names = [n for n in listed.stdout.splitlines() if not n.endswith(".test.ts")]
    digest = hashlib.sha256()
    for name in sorted(n for n in names if (SOURCES / n).is_file()):
        content = (SOURCES / name).read_bytes()
        digest.update(name.encode() + b"\0" + hashlib.sha256(content).digest())
    return digest.hexdigest()


def test_the_build_is_of_these_sources():
    stamp = json.loads((DIST / "build.json").read_text())["sources_sha256"]

    assert stamp == sources_hash(), "run `make web` and commit frontend/dist"


def test_the_lock_file_names_no_registry():
    assert '"resolved"' not in (SOURCES / "package-lock.json").read_text()
