"""Python of a folder, cut in two."""

import os

import pytest

from jobs.dataset.errors import InvalidInput
from jobs.dataset.source_folder import LARGEST_FILE

PIECE = "def f():\n    return 'a text that is long enough'\n"


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "source"
    (folder / "deep").mkdir(parents=True)
    return folder


def whole(row):
    return row["prompt"] + row["completion"]


def test_definitions_are_cut_between_a_quarter_and_three_quarters(build, source):
    pieces = [f"def f{n}():\n    return '{'x' * n * 7}'\n" for n in range(40)]
    (source / "a.py").write_text("import os\n" + "".join(pieces))

    rows = build("code_completion", src_dir=str(source)).rows

    assert [whole(row) for row in rows] == [piece for piece in pieces if len(piece.strip()) >= 30]
    for row in rows:
        assert 0.25 <= len(row["prompt"]) / len(whole(row)) <= 0.75
    assert len({len(row["prompt"]) / len(whole(row)) for row in rows}) > 20


def test_the_same_folder_gives_the_same_rows(build, source):
    (source / "a.py").write_text(PIECE * 9)

    assert build("code_completion", src_dir=str(source)).rows == build(
        "code_completion", src_dir=str(source)
    ).rows  # fmt: skip


def test_files_are_taken_by_path_and_no_more_pairs_than_wanted(build, source):
    for name in ("b.py", "a.py", "deep/c.py", "notes.txt"):
        (source / name).write_text(PIECE.replace("f()", f"{name[-4]}()"))

    built = build("code_completion", src_dir=str(source), max_pairs=2)

    assert [whole(row)[4] for row in built.rows] == ["a", "b"]


def test_what_is_not_fit_to_read_is_passed_over_and_counted(build, source, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "o.py").write_text(PIECE.replace("f()", "outside()"))
    (source / "a.py").write_text(PIECE)
    (source / "binary.py").write_bytes(b"def f():\0" * 100)
    (source / "latin.py").write_bytes(PIECE.replace("text", "täxt").encode("latin-1"))
    (source / "huge.py").write_text(PIECE * (LARGEST_FILE // len(PIECE) + 1))
    (source / "link.py").symlink_to(tmp_path / "outside" / "o.py")
    (source / "linked").symlink_to(tmp_path / "outside")
    (source / "loop").symlink_to(source)
    (source / ".hidden").mkdir()
    (source / ".hidden" / "h.py").write_text(PIECE.replace("f()", "hidden()"))
    os.mkfifo(source / "pipe.py")

    built = build("code_completion", src_dir=str(source))

    assert [whole(row) for row in built.rows] == [PIECE]
    assert built.summary["skipped"] == {
        "files that are links": 1,
        "files that are not text in UTF-8": 2,
        f"files of more than {LARGEST_FILE:,} bytes": 1,
        "files that are none": 1,
    }


@pytest.mark.parametrize("name", ["no-such-folder", "a.py", "\0", "~nobody-of-this-name/x"])
def test_what_is_no_folder_is_told_at_once(build, source, name):
    (source / "a.py").write_text(PIECE)

    with pytest.raises(InvalidInput, match=r"^src_dir: "):
        build("code_completion", src_dir=name if name.startswith("~") else str(source / name))
