"""Each layer of confinement by itself: where one is missing, the others still hold."""

import errno
import json
import subprocess
import sys

import pytest

from jobs.dataset.sandbox.linux import system
from jobs.dataset.sandbox.run import ROOT

TRY = """
import json, os, pathlib, socket, sys
from jobs.dataset.sandbox import fence
from jobs.dataset.sandbox.linux import landlock, namespaces, seccomp
outside = {outside!r}
{layer}
found = {{}}
def attempt(name, act):
    try:
        act()
        found[name] = "done"
    except Exception as error:
        found[name] = type(error).__name__
attempt("read", lambda: open(outside + "/old").read())
attempt("write", lambda: open(outside + "/new", "w"))
attempt("remove", lambda: os.remove(outside + "/old"))
attempt("chmod", lambda: os.chmod(outside + "/old", 0))
attempt("inside", lambda: open("mine", "w").write("x"))
attempt("fork", lambda: os.fork() or os._exit(0))
attempt("socket", lambda: socket.create_connection(("127.0.0.1", 9), timeout=1))
print(json.dumps(found))
"""
REFUSED = "PermissionError"


def attempts(layer, tmp_path):
    """Run one layer in a process of its own, and everything that it might hold back."""
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (outside / "old").write_text("kept")
    done = subprocess.run(
        [sys.executable, "-c", TRY.format(outside=str(outside), layer=layer)],
        cwd=inside,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def test_the_fence_alone_stops_what_python_is_asked(tmp_path):
    found = attempts("fence.put_up(pathlib.Path.cwd())", tmp_path)

    assert found.pop("read") == found.pop("inside") == "done"
    assert set(found.values()) == {REFUSED}


@pytest.mark.skipif(sys.platform != "linux", reason="a part of Linux")
class TestLinux:
    def test_landlock_alone_keeps_files(self, tmp_path):
        try:
            system.syscall(system.LANDLOCK_CREATE_RULESET, None, 0, 1)
        except OSError as error:
            assert error.errno in (errno.ENOSYS, errno.EOPNOTSUPP)
            pytest.skip("this kernel has no Landlock")

        found = attempts("landlock.restrict(pathlib.Path.cwd())", tmp_path)

        assert found["inside"] == "done"
        assert {found[name] for name in ("read", "write", "remove")} == {REFUSED}

    def test_the_filter_alone_keeps_processes_sockets_and_rights(self, tmp_path):
        found = attempts("seccomp.restrict()", tmp_path)

        assert found["inside"] == "done"
        assert {found[name] for name in ("chmod", "fork", "socket")} == {REFUSED}

    def test_the_namespace_alone_has_no_network(self, tmp_path):
        layer = "before = os.readlink('/proc/self/ns/net'); namespaces.leave_network()"
        layer += "\nif os.readlink('/proc/self/ns/net') == before: print('{}'); sys.exit()"

        found = attempts(layer, tmp_path)

        if not found:
            pytest.skip("this system lets nobody make a namespace")
        assert found["socket"] == "OSError"  # the network is unreachable, not the port closed
