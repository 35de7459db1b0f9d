"""Where the npm packages are that the tests drive: `python -m tests.agents.packages` installs them.

They lie in the tests' cache, some 900 MB, in a folder that is named after the versions.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
MANIFESTS = ("package.json", "package-lock.json")


def folder():
    """Return where these versions belong; nothing may be there yet."""
    versions = b"".join((HERE / name).read_bytes() for name in MANIFESTS)
    cache = os.environ.get("MLXSITE_TEST_CACHE") or Path.home() / ".cache" / "mlxsite-tests"
    return Path(cache) / f"agents-{hashlib.sha256(versions).hexdigest()[:12]}"


def missing():
    """Return what keeps the tests from running, or None."""
    if shutil.which("node") is None:
        return "needs Node.js 20 or later"
    if not (folder() / "complete").exists():
        return "needs npm packages, which `make agents` installs"
    return None


def install():
    """Install what `package-lock.json` names, unless it is there."""
    target = folder()
    if missing() is None:
        return target
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("npm is missing: install Node.js 20 or later")
    print(f"Installing coding agents into {target}", flush=True)  # noqa: T201
    target.mkdir(parents=True, exist_ok=True)
    for name in MANIFESTS:
        shutil.copy(HERE / name, target)
    options = ["--no-audit", "--no-fund", "--loglevel=error"]
    subprocess.run([npm, "ci", *options], cwd=target, check=True)
    (target / "complete").touch()
    return target


if __name__ == "__main__":
    install()
