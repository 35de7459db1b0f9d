"""Sessions on the disk: appended to, forgiving to read, and never outside their folder."""

import errno
import json
import os
import random
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sessions.errors import NotRead, NotWritten, OutsideStore, SessionError, SessionNotFound
from sessions.store.entries import new_entry
from sessions.store.messages import user_message
from sessions.store.session_file import SessionFile
from sessions.store.store import SessionStore
from sessions.store.tree import Tree


@pytest.fixture
def store(tmp_path):
    return SessionStore(tmp_path / "sessions")


def said(text, parent=None):
    return new_entry("message", parent, message=user_message(text))


def texts(file):
    return [entry.message["content"] for entry in file.read() if entry.message]


def test_a_session_begins_with_a_line_about_itself(store):
    file = store.create(cwd="/somewhere")

    first = json.loads(file.path.read_text())
    assert (first["type"], first["cwd"]) == ("session", "/somewhere")
    assert first["id"] in file.name
    assert file.path.stat().st_mode & 0o777 == 0o600


def test_what_was_appended_is_read_back_in_order(store):
    file = store.create(cwd="")
    one = said("one")

    file.append([one])
    file.append([said("zwei 😀", one.id)])

    assert texts(file) == ["one", "zwei 😀"]
    assert file.read()[2].parent_id == one.id


def test_lines_that_cannot_be_read_are_passed_over(store):
    file = store.create(cwd="")
    file.append([said("kept")])
    with file.path.open("ab") as raw:
        raw.write(b'{"type":"message","id":"x"\n[1]\n\xff\xfe\nnull\n{"no":"type"}\n' + b"[" * 9999)
    file.append([said("also kept")])

    assert texts(file) == ["kept", "also kept"]


def test_a_torn_last_line_does_not_spoil_the_next(store):
    file = store.create(cwd="")
    file.append([said("kept")])
    with file.path.open("ab") as raw:
        raw.write(b'{"type":"message","id":"torn","mess')

    file.append([said("new")])

    assert texts(file) == ["kept", "new"]


def test_entries_without_an_id_follow_one_another(store):
    file = store.create(cwd="")
    with file.path.open("a") as raw:
        for text in ("a", "b"):
            raw.write(json.dumps({"type": "message", "message": user_message(text)}) + "\n")

    _, first, second = file.read()

    assert second.parent_id == first.id


def test_a_full_disk_leaves_the_file_as_it_was(store, monkeypatch):
    file = store.create(cwd="")
    before = file.path.read_bytes()
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:10]))

    with pytest.raises(NotWritten, match="No space left"):
        file.append([said("too much")])

    assert file.path.read_bytes() == before


@pytest.fixture
def no_descriptors(monkeypatch):
    """Call to let the process have no more files open."""

    def refuse(*args, **more):
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    def exhaust():
        for name in ("open", "scandir", "listdir"):
            monkeypatch.setattr(os, name, refuse)
        monkeypatch.setattr(Path, "open", refuse)

    return exhaust


def test_a_file_that_cannot_be_opened_now_is_not_taken_for_one_that_is_gone(store, no_descriptors):
    file = store.create(cwd="")
    no_descriptors()

    with pytest.raises(NotRead, match="Too many open files"):
        file.read()
    with pytest.raises(NotRead, match="Too many open files"):
        store.files()
    for write in (lambda: file.append([said("x")]), lambda: store.describe(file.name, name="x")):
        with pytest.raises(NotWritten, match="Too many open files"):
            write()


def test_a_line_that_follows_needs_one_descriptor(store, monkeypatch):
    file = store.create(cwd="")
    monkeypatch.setattr(Path, "open", None)

    store.describe(file.name, name="x")

    monkeypatch.undo()
    assert file.read()[-1].data["name"] == "x"


def test_a_file_that_is_gone_is_told_as_that(store):
    file = store.create(cwd="")
    store.delete(file.name)

    with pytest.raises(SessionNotFound):
        file.read()
    with pytest.raises(SessionNotFound):
        file.append([said("x")])


def test_half_a_character_does_not_break_the_file(store):
    file = store.create(cwd="")

    file.append([said("half \ud83d of one")])

    assert texts(file) == ["half ? of one"]


def test_writers_of_one_session_never_interleave_lines(store):
    file = store.create(cwd="")

    def write(name):
        tab = SessionFile(file.path)
        for number in range(40):
            tab.append([said(f"{name}-{number} " + name * 3000)])

    tabs = [threading.Thread(target=write, args=(name,)) for name in "ab"]
    for tab in tabs:
        tab.start()
    for tab in tabs:
        tab.join()

    lines = file.path.read_text().splitlines()
    assert len([json.loads(line) for line in lines]) == 81
    assert [t.split()[0] for t in texts(file) if t[0] == "a"] == [f"a-{n}" for n in range(40)]


WRITER = """
import sys
from pathlib import Path
from sessions.store.entries import new_entry
from sessions.store.session_file import SessionFile
file = SessionFile(Path(sys.argv[1]))
number = 0
while True:
    file.append([new_entry("message", None, message={"role": "user", "content": "x" * 50_000})])
    number += 1
    print(number, flush=True)
"""


def test_a_killed_writer_loses_at_most_the_line_it_was_writing(store):
    rounds = int(os.environ.get("MLXSITE_KILL_ROUNDS", "3"))
    moments = random.Random(7)
    for _ in range(rounds):
        file = store.create(cwd="")
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(file.path)], stdout=subprocess.PIPE, text=True
        )
        told = [process.stdout.readline() for _ in range(moments.randint(1, 30))]
        process.kill()
        promised = int((told + process.stdout.read().splitlines())[-1])
        process.wait()
        process.stdout.close()

        assert len(texts(file)) >= promised
        file.append([said("after")])
        assert texts(file)[-1] == "after"


def test_a_fork_has_the_same_messages_and_knows_where_it_came_from(store):
    file = store.create(cwd="/here")
    file.append([said("one"), said("two")])

    fork = store.fork(file.name)

    assert texts(fork) == ["one", "two"]
    assert fork.read()[0].data["parentSession"] == file.name
    assert fork.read()[0].id != file.read()[0].id


def test_deleting_removes_one_file(store):
    one, other = store.create(cwd=""), store.create(cwd="")

    store.delete(one.name)

    assert [file.name for file in store.files()] == [other.name]


def test_a_missing_session_is_told_from_a_path_that_leads_away(store):
    store.create(cwd="")

    with pytest.raises(SessionNotFound):
        store.open("none.jsonl")
    with pytest.raises(OutsideStore):
        store.open("../none.jsonl")


def test_a_full_path_into_the_folder_is_understood(store):
    file = store.create(cwd="")

    assert store.open(str(file.path)).path == file.path


def paths(count):
    """Ways out of a folder, put together at random."""
    draw = random.Random(5)
    parts = [
        "..",
        ".",
        "sub",
        "/",
        "//",
        "\\",
        "%2e%2e",
        "etc",
        "outside.jsonl",
        "\0",
        "~",
        "a" * 300,
    ]
    made = {"", "/", "..", "../outside.jsonl", "sub/../../outside.jsonl", "a\0.jsonl", "link.jsonl"}
    while len(made) < count:
        made.add("/".join(draw.choices(parts, k=draw.randint(1, 6))))
    return sorted(made)


def test_no_path_leads_out_of_the_folder(store, tmp_path):
    """Public case se-04."""
    store.create(cwd="")
    outside = tmp_path / "outside.jsonl"
    outside.write_text('{"type":"session","id":"secret"}\n')
    (store.root / "link.jsonl").symlink_to(outside)
    (store.root / "sub").symlink_to(tmp_path)

    for path in paths(500):
        for act in (store.open, store.delete, store.fork):
            with pytest.raises(SessionError) as refused:
                act(path)
            assert str(tmp_path) not in str(refused.value)
    assert outside.read_text().startswith('{"type":"session"')
    assert len(store.files()) == 1


def test_a_name_follows_what_another_has_written_meanwhile(store):
    """Whoever reads first and writes later would hang a name beside the newest message."""
    file = store.create(cwd="")
    file.append([said("one")])

    def write(number):
        store.describe(file.name, name=f"name {number}")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(40)))

    entries = file.read()
    assert len(Tree(entries).branch()) == 41
