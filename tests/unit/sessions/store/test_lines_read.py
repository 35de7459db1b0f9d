"""A file that grew is read from where it was read before, and any other from its beginning."""

import json
import os

import pytest

from sessions.store import lines_read
from sessions.store.entries import new_entry, read_entries
from sessions.store.lines_read import LinesRead
from sessions.store.session_file import SessionFile
from sessions.store.store import SessionStore


def line(identity=None, **members):
    entry = {"type": "message", **({"id": identity} if identity else {}), **members}
    return json.dumps(entry).encode() + b"\n"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "a.jsonl"


@pytest.fixture
def lines(path):
    """Call to read what is new; what is returned is compared with a reading of all."""
    known = LinesRead()

    def read():
        descriptor = os.open(path, os.O_RDONLY)
        try:
            entries = known.entries(descriptor)
        finally:
            os.close(descriptor)
        with path.open("rb") as file:
            assert entries == list(read_entries(file))
        return [entry.id for entry in entries]

    return read


@pytest.fixture
def looked_at(monkeypatch):
    """How many lines were parsed, each time."""
    counts = []

    def count(lines, **more):
        counts.append(len(lines))
        return read_entries(lines, **more)

    monkeypatch.setattr(lines_read, "read_entries", count)
    return counts


def add(path, data):
    with path.open("ab") as file:
        file.write(data)


def test_of_a_file_that_grew_what_is_new_is_read(path, lines, looked_at):
    add(path, line("a") + b"not ours\n" + line("b"))
    assert lines() == ["a", "b"]
    add(path, line("c"))
    assert lines() == ["a", "b", "c"]
    assert lines() == ["a", "b", "c"]

    assert [count for count in looked_at if count] == [3, 1]


def test_lines_without_an_id_go_on_counting_and_follow_one_another(path, lines):
    add(path, b'{"type":"session"}\n' + line("a") + line())
    assert lines() == ["", "a", "line-2"]
    add(path, b"damaged\n" + line() + line("b") + line())

    assert lines() == ["", "a", "line-2", "line-4", "b", "line-6"]


@pytest.mark.parametrize("rest", [b"\n", b"x\n"], ids=["whole", "torn"])
def test_a_line_without_an_end_is_read_again(path, lines, rest):
    add(path, line("a") + line("b")[:-1])
    assert lines() == ["a", "b"]
    add(path, rest + line("c"))

    assert lines() == (["a", "b", "c"] if rest == b"\n" else ["a", "c"])


@pytest.mark.parametrize(
    "other", [b"", line("x"), line("x") + line("y"), line("x") * 3], ids=[*"0123"]
)
def test_a_file_that_was_written_anew_is_read_from_its_beginning(path, lines, other):
    add(path, line("a") + line("b"))
    lines()

    path.write_bytes(other)

    lines()


def test_another_file_of_the_same_name_is_read_from_its_beginning(path, lines, tmp_path):
    add(path, line("a") + line("b"))
    lines()

    add(tmp_path / "new", line("c") + line("b"))
    (tmp_path / "new").replace(path)

    assert lines() == ["c", "b"]


def test_what_others_write_between_two_lines_is_followed(tmp_path, looked_at):
    file = SessionStore(tmp_path).create(cwd="")
    tab = SessionFile(file.path)
    for _ in range(50):
        tab.follow(lambda entries: [new_entry("x", entries[-1].id)])
        looked_at.clear()
        file.follow(lambda entries: [new_entry("x", entries[-1].id)])
        assert sum(looked_at) <= 3

    entries = file.read()
    assert [e.parent_id for e in entries[2:]] == [e.id for e in entries[1:-1]]
