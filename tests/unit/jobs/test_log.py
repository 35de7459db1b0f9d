"""Logs: any line may be torn, and none is lost but that one."""

import errno
import json
import os
from pathlib import Path

import pytest
from django.utils import timezone

from jobs import log as logs
from jobs.lines import decode, encode
from jobs.log import LogReader, LogWriter, prune, tail
from jobs.models import Job


def event(number):
    return {"type": "log", "line": f"ü {number}"}


def read_all(reader):
    found = []
    while news := reader.read():
        found += news
    return found


def test_what_is_written_is_read(tmp_path):
    path = tmp_path / "new" / "log"
    with LogWriter(path) as log:
        for number in range(3):
            log.append(event(number))

    assert read_all(LogReader(path)) == [event(number) for number in range(3)]
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("cut", range(len(encode(event(1)).encode())))
def test_a_line_that_is_still_being_written_is_read_when_it_is_whole(tmp_path, cut):
    path, line = tmp_path / "log", encode(event(1)).encode()
    path.write_bytes(line + line[:cut])
    reader = LogReader(path)

    first, nothing = read_all(reader), reader.read()
    with path.open("ab") as file:
        file.write(line[cut:])

    assert (first, nothing) == ([event(1)], [])
    assert read_all(reader) == [event(1)]


def test_a_line_that_was_torn_by_a_crash_is_followed_by_whole_ones(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(encode(event(1)).encode() + b'{"type":"lo')

    with LogWriter(path) as log:
        log.append(event(2))

    assert read_all(LogReader(path)) == [event(1), event(2)]


@pytest.mark.parametrize("room", range(25))
def test_a_disk_that_was_full_for_a_while_costs_only_the_lines_of_that_while(
    tmp_path, monkeypatch, caplog, room
):
    path = tmp_path / "log"
    write = os.write
    left = room

    def write_what_fits(descriptor, data):
        nonlocal left
        if left == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = write(descriptor, data[:left])
        left -= written
        return written

    with LogWriter(path) as log:
        log.append(event(1))
        monkeypatch.setattr("os.write", write_what_fits)
        log.append(event(2))
        log.append(event(3))
        monkeypatch.setattr("os.write", write)
        log.append(event(4))

    assert read_all(LogReader(path)) == [event(1), event(4)]
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    "line", [b"", b"[1]", b'{"type":1}', b'{"line":"x"}', b"\xff", b"[" * 9999, b'{"type":"l']
)
def test_what_is_no_event_is_skipped(line):
    assert decode(line) is None


def test_a_line_longer_than_any_event_is_skipped_and_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(logs, "READ_BYTES", 64)
    monkeypatch.setattr(logs, "LONGEST_LINE", 128)
    path = tmp_path / "log"
    path.write_text(encode({"type": "log", "line": "x" * 1000}) + encode(event(1)))
    reader = LogReader(path)

    assert read_all(reader) == [event(1)]
    assert reader._partial == b""


def test_a_log_that_is_not_there_has_no_events_yet(tmp_path):
    reader = LogReader(tmp_path / "log")

    before = reader.read()
    with LogWriter(tmp_path / "log") as log:
        log.append(event(1))

    assert (before, reader.read()) == ([], [event(1)])


def test_a_log_that_cannot_be_made_does_no_harm(tmp_path, caplog):
    (tmp_path / "file").write_text("")

    with LogWriter(tmp_path / "file" / "log") as log:
        log.append(event(1))
        log.append(event(2))

    assert len(caplog.records) == 1


def test_the_tail_is_the_last_events(tmp_path, monkeypatch):
    monkeypatch.setattr(logs, "TAIL_BYTES", 120)
    with LogWriter(tmp_path / "log") as log:
        for number in range(50):
            log.append(event(number))

    assert tail(tmp_path / "log") == [event(47), event(48), event(49)]
    assert tail(tmp_path / "log", most=1) == [event(49)]
    assert tail(tmp_path / "none") == []


@pytest.mark.parametrize("value", [float("nan"), float("inf"), [-float("inf")]])
def test_numbers_that_json_does_not_have_become_null(value):
    assert encode({"type": "x", "value": value}) in (
        '{"type":"x","value":null}\n',
        '{"type":"x","value":[null]}\n',
    )


def test_values_that_are_no_json_become_their_text():
    assert encode({"type": "x", "path": Path("/a"), 1: (2,)}) == (
        '{"type":"x","path":"/a","1":[2]}\n'
    )


@pytest.mark.django_db
def test_logs_of_old_jobs_are_pruned_and_their_rows_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(logs, "LOGS_KEPT", 2)
    for number in range(5):
        (tmp_path / str(number)).write_text("")
        Job.objects.create(
            id=f"job_{number}",
            kind="dataset",
            log_path=str(tmp_path / str(number)),
            status="queued" if number == 0 else "done",
            ended_at=None if number == 0 else timezone.now(),
        )
    (tmp_path / "another program's").write_text("")

    prune()
    prune()

    assert {path.name for path in tmp_path.iterdir()} == {"0", "3", "4", "another program's"}
    assert Job.objects.count() == 5


def test_what_no_stream_can_carry_is_marked_in_both_directions():
    odd = {"type": "log", "line": "a\ud83db", "\udc00": ["\0", {"x": float("nan")}]}
    sound = {"type": "log", "line": "a\ufffdb", "\ufffd": ["\ufffd", {"x": None}]}

    assert decode(json.dumps(odd).encode()) == sound
    assert decode(encode(odd).encode()) == sound
    assert decode(encode({"type": "log", "line": "\U0001f600"}).encode())["line"] == "\U0001f600"
