import errno
import fcntl
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock as TheirLock
from filelock import Timeout

from hub.file_lock import FileLock

HOLD = """
import sys
from pathlib import Path
from hub.file_lock import FileLock
lock = FileLock(Path(sys.argv[1]))
print(lock.acquire(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "locks" / "repo.lock"


@pytest.fixture
def other_process(path: Path) -> "Iterator[subprocess.Popen[str]]":
    """A process that holds the lock until it is killed."""
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
        yield process
        process.kill()


def test_one_at_a_time_within_a_process(path: Path) -> None:
    with FileLock(path) as first, FileLock(path) as second:
        assert first.acquire()
        assert not second.acquire()
        first.release()
        assert second.acquire()


def test_another_thread_may_release_it(path: Path) -> None:
    lock = FileLock(path)
    assert lock.acquire()

    thread = threading.Thread(target=lock.release)
    thread.start()
    thread.join()

    assert not lock.is_held()


def test_another_process_is_kept_out_until_it_dies(
    path: Path, other_process: "subprocess.Popen[str]"
) -> None:
    with FileLock(path) as lock:
        assert lock.is_held()
        assert not lock.acquire()

        other_process.kill()
        other_process.wait()

        assert lock.acquire(patience=5)


def test_patience_waits_for_the_holder(path: Path) -> None:
    with FileLock(path) as first, FileLock(path) as second:
        first.acquire()
        timer = threading.Timer(0.05, first.release)
        timer.start()

        assert second.acquire(patience=5)


def test_those_who_share_it_keep_out_those_who_do_not(path: Path) -> None:
    with FileLock(path) as first, FileLock(path) as second, FileLock(path) as third:
        assert first.share() and second.share()
        assert not third.acquire()
        assert (third.is_held(), third.is_shared_or_held()) == (False, True)

        first.release()
        second.release()

        assert not third.is_shared_or_held()
        assert third.acquire()
        assert not first.share()


def test_asking_makes_no_file_and_takes_nothing(path: Path) -> None:
    assert not FileLock(path).is_held()
    assert not path.parent.exists()
    path.parent.write_text("a file in its place")
    assert not FileLock(path).is_held()
    path.parent.unlink()

    with FileLock(path) as lock:
        lock.acquire()
        lock.release()
        assert not lock.is_held()
        assert lock.acquire()


def test_the_locks_of_huggingface_hub_are_respected_and_ours_by_it(path: Path) -> None:
    path.parent.mkdir()
    with TheirLock(path), FileLock(path) as ours:
        assert ours.is_held()
        assert not ours.acquire()

    with FileLock(path) as ours:
        ours.acquire()
        with pytest.raises(Timeout):
            TheirLock(path, timeout=0).acquire()


def test_asking_works_where_an_exclusive_lock_needs_a_descriptor_that_may_write(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on NFS."""
    path.parent.mkdir()
    path.touch()
    flock = fcntl.flock

    def flock_of_nfs(descriptor: int, mode: int) -> None:
        may_write = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY
        if mode & fcntl.LOCK_EX and not may_write:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        flock(descriptor, mode)

    monkeypatch.setattr(fcntl, "flock", flock_of_nfs)
    with FileLock(path) as lock:
        assert not lock.is_shared_or_held()
        assert lock.share()
        assert FileLock(path).is_shared_or_held()


@pytest.mark.parametrize("refusal", [errno.EACCES, errno.EROFS])
def test_asking_works_where_nothing_can_be_written(
    refusal: int, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.parent.mkdir()
    path.touch()
    real_open = os.open

    def open_of_a_read_only_disk(name: Path, flags: int, *mode: int) -> int:
        if name == path and flags & os.O_ACCMODE != os.O_RDONLY:
            raise OSError(refusal, os.strerror(refusal))
        return real_open(name, flags, *mode)

    monkeypatch.setattr(os, "open", open_of_a_read_only_disk)

    assert not FileLock(path).is_shared_or_held()
    assert not FileLock(path).is_held()


def test_a_lock_that_the_disk_does_not_know_leaves_no_file_open(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[int] = []
    real_open = os.open

    def remember(name: Path, flags: int, *mode: int) -> int:
        opened.append(real_open(name, flags, *mode))
        return opened[-1]

    def refuse(descriptor: int, mode: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(os, "open", remember)
    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(OSError, match=os.strerror(errno.ENOLCK)):
        FileLock(path).acquire()
    monkeypatch.undo()

    [descriptor] = opened
    with pytest.raises(OSError, match=os.strerror(errno.EBADF)):
        os.fstat(descriptor)
