"""The committed build of the web app belongs to its sources, and names no other server."""

import gzip
import hashlib
import json
import re
import subprocess

from frontend.dist import DIST, SOURCES
from mlxsite.openapi import document

DOCUMENT = SOURCES / "openapi.json"
TYPES = SOURCES / "src" / "lib" / "api" / "schema.d.ts"


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


def test_the_app_knows_the_routes_that_the_server_has():
    assert json.loads(DOCUMENT.read_text()) == json.loads(json.dumps(document())), "run `make web`"


def test_the_types_are_of_that_document():
    first = TYPES.read_text().partition("\n")[0]

    assert first == f"// openapi.json: {hashlib.sha256(DOCUMENT.read_bytes()).hexdigest()}"


def test_the_first_page_is_small():
    """What a browser loads before it shows anything, as it would travel; 200 kB at most."""
    page = (DIST / "index.html").read_text()
    names = re.findall(r'(?:src|href)="/(assets/[^"]+\.(?:js|css))"', page)
    static = {name for each in names for name in imported(each)}

    loaded = {"index.html", *static}
    assert len(loaded) >= 2
    assert sum(len(gzip.compress((DIST / name).read_bytes())) for name in loaded) < 200_000


def imported(name: str) -> set[str]:
    """The file itself, and what it cannot run without: its imports, but not those on demand."""
    found, waiting = set(), [name]
    while waiting:
        each = waiting.pop()
        found.add(each)
        text = (DIST / each).read_text()
        for target in re.findall(r'(?:\bfrom|\bimport)\s*"(\.[^"]+\.js)"', text):
            path = (DIST / each).parent.joinpath(target).resolve().relative_to(DIST.resolve())
            waiting += [str(path)] if str(path) not in found else []
    return found
