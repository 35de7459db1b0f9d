"""The clients that the tests drive: `python -m tests.agents.packages` installs them.

They lie in the tests' cache, some 900 MB, in a folder that is named after their versions: npm's in
`node_modules`, where only Claude Code may run a script of its own, which fetches its binary, and
Python's in the virtual environment `python`.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
VERSIONS = ("package.json", "package-lock.json", "requirements.txt")
PYTHON = Path("python", "bin", "python")


def folder():
    """Return where these versions belong; nothing may be there yet."""
    versions = b"".join((HERE / name).read_bytes() for name in VERSIONS)
    cache = os.environ.get("MLXSITE_TEST_CACHE") or Path.home() / ".cache" / "mlxsite-tests"
    return Path(cache) / f"agents-{hashlib.sha256(versions).hexdigest()[:12]}"


def missing():
    """Return what keeps the tests from running, or None."""
    if shutil.which("node") is None:
        return "needs Node.js 20 or later"
    if not (folder() / "complete").exists():
        return "needs clients that `make agents` installs"
    return None


def install():
    """Install these versions, unless they are there."""
    target = folder()
    if missing() is None:
        return
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("npm is missing: install Node.js 20 or later")
    print(f"Installing clients into {target}", flush=True)  # noqa: T201
    target.mkdir(parents=True, exist_ok=True)
    for name in VERSIONS:
        shutil.copy(HERE / name, target)
    quiet = ["--no-audit", "--no-fund", "--loglevel=error"]
    pip = [target / PYTHON, "-m", "pip", "--disable-pip-version-check", "install", "-qq"]
    for command in (
        [npm, "ci", *quiet],
        [sys.executable, "-m", "venv", "python"],
        [*pip, "-r", "requirements.txt"],
    ):
        subprocess.run(command, cwd=target, check=True)
    (target / "complete").touch()


if __name__ == "__main__":
    install()
