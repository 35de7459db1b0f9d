"""File tools: what they do, and that they stay in the workspace."""

import os

import pytest

from sessions.tools.base import ToolFailed
from sessions.tools.edit import edit_tool, write_tool
from sessions.tools.files import find_tool, ls_tool
from sessions.tools.grep import grep_tool
from sessions.tools.read import read_tool
from sessions.tools.workspace import Workspace

TOOLS = {
    "read": read_tool,
    "ls": ls_tool,
    "find": find_tool,
    "grep": grep_tool,
    "edit": edit_tool,
    "write": write_tool,
}


async def ignore(chunk):
    pass


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def use(root):
    async def use(name, **args):
        return (await TOOLS[name](Workspace(root)).run(args, ignore)).text

    return use


@pytest.mark.parametrize(
    ("name", "gated"),
    [
        *((name, False) for name in ("read", "ls", "find", "grep")),
        *((name, True) for name in ("edit", "write")),
    ],
)
def test_what_changes_files_is_asked_about(root, name, gated):
    assert TOOLS[name](Workspace(root)).gated is gated


async def test_a_file_is_read(root, use):
    (root / "a.txt").write_text("one\ntwo\n")

    assert await use("read", path="a.txt") == "one\ntwo\n"


async def test_a_long_file_comes_in_parts(root, use):
    (root / "a.txt").write_text("".join(f"{n}\n" for n in range(1, 101)))

    part = await use("read", path="a.txt", offset=11, limit=5)

    assert part == "11\n12\n13\n14\n15\n\n[lines 11 to 15 of 100; go on with offset 16]"
    assert await use("read", path="a.txt", offset=96) == "96\n97\n98\n99\n100\n"


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        ({}, "path is required"),
        ({"path": "none.txt"}, "No such file"),
        ({"path": "binary"}, "no text"),
        ({"path": "a.txt", "offset": 99}, "has 1 lines"),
        ({"path": "a.txt", "offset": 0}, "whole number"),
        ({"path": "a\0"}, "no path"),
    ],
)
async def test_what_cannot_be_read_is_explained(root, use, args, problem):
    (root / "binary").write_bytes(b"\xff\xfe\x00")
    (root / "a.txt").write_text("one\n")

    with pytest.raises(ToolFailed, match=problem):
        await use("read", **args)


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "link", "sub/../../secret", "~/../x"])
@pytest.mark.parametrize("name", ["read", "ls", "find", "grep", "edit", "write"])
async def test_nothing_leads_out_of_the_workspace(root, use, name, path):
    (root.parent / "secret").write_text("secret")
    (root / "link").symlink_to(root.parent / "secret")
    args = {"pattern": "x", "old_text": "secret", "new_text": "", "content": ""}

    if path == "~/../x":  # a name like any other: it stays inside, and is not there
        path = "../x"
    with pytest.raises(ToolFailed, match="outside of the workspace"):
        await use(name, path=path, **args)
    assert (root.parent / "secret").read_text() == "secret"


async def test_a_folder_is_listed(root, use):
    (root / "sub").mkdir()
    (root / "b.txt").touch()

    assert await use("ls") == "b.txt\nsub/"


async def test_files_are_found_by_name(root, use):
    for name in ("a.py", "sub/b.py", "sub/deep/c.py", "sub/d.txt", "node_modules/e.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()

    assert await use("find", pattern="*.py") == "a.py\nsub/b.py\nsub/deep/c.py"
    assert await use("find", pattern="sub/*.py") == "sub/b.py"
    assert await use("find", pattern="sub/**/*.py") == "sub/b.py\nsub/deep/c.py"
    assert await use("find", pattern="*.rs") == "Nothing was found."


async def test_lines_are_found_by_pattern(root, use):
    (root / "a.txt").write_text("Alpha\nbeta\nalphabet\n")
    (root / "link").symlink_to(root / "a.txt")

    assert await use("grep", pattern="^alpha") == "a.txt:3: alphabet"
    assert await use("grep", pattern="^alpha", ignore_case=True) == (
        "a.txt:1: Alpha\na.txt:3: alphabet"
    )
    assert await use("grep", pattern="gamma") == "Nothing was found."


@pytest.mark.parametrize("pattern", ["(", "a{99999999999}", "(?:" * 5000])
async def test_a_pattern_that_is_none_is_explained(use, pattern):
    with pytest.raises(ToolFailed, match="no regular expression"):
        await use("grep", pattern=pattern)


async def test_names_without_utf_8_are_told_as_far_as_they_can_be(root, use):
    (root / os.fsdecode(b"\xff.txt")).write_text("hello\n")

    assert await use("grep", pattern="hello") == "\ufffd.txt:1: hello"
    for name in ("ls", "find"):
        found = await use(name, **({"pattern": "*.txt"} if name == "find" else {}))
        assert found.endswith(".txt")


async def test_a_pattern_that_takes_for_ever_is_ended(root, use, monkeypatch):
    monkeypatch.setattr("sessions.tools.grep.SECONDS", 2)
    (root / "a.txt").write_text("a" * 40 + "b")

    with pytest.raises(ToolFailed, match="longer than 2 s"):
        await use("grep", pattern="(a+)+$")


async def test_an_edit_replaces_one_place_and_shows_what_changed(root, use):
    (root / "a.txt").write_text("one\ntwo\nthree\n")

    diff = await use("edit", path="a.txt", old_text="two", new_text="2")

    assert (root / "a.txt").read_text() == "one\n2\nthree\n"
    assert "-two\n+2\n" in diff


@pytest.mark.parametrize(
    ("old", "problem"), [("none", "does not stand"), ("o", "stands 2 times"), ("", "is required")]
)
async def test_an_edit_that_is_not_exact_changes_nothing(root, use, old, problem):
    (root / "a.txt").write_text("one\ntwo\n")

    with pytest.raises(ToolFailed, match=problem):
        await use("edit", path="a.txt", old_text=old, new_text="x")
    assert (root / "a.txt").read_text() == "one\ntwo\n"


async def test_line_ends_and_modes_survive_an_edit(root, use):
    (root / "run.sh").write_bytes(b"a\r\nb\r\n")
    (root / "run.sh").chmod(0o755)

    await use("edit", path="run.sh", old_text="b", new_text="c")

    assert (root / "run.sh").read_bytes() == b"a\r\nc\r\n"
    assert (root / "run.sh").stat().st_mode & 0o777 == 0o755


async def test_a_new_file_is_written_with_its_folders(root, use):
    diff = await use("write", path="sub/new.txt", content="hello\n")

    assert (root / "sub" / "new.txt").read_text() == "hello\n"
    assert "+hello" in diff
    assert [path.name for path in (root / "sub").iterdir()] == ["new.txt"]
