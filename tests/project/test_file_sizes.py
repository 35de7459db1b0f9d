"""Files stay small enough to read in one sitting."""

import statistics
from pathlib import Path

LONGEST = 600  # lines
MEDIAN = 120
LARGEST = 10**6  # bytes

# Files that may be longer, each with a reason.
LONG_FOR_A_REASON: dict[str, str] = {}


def is_source(path: Path) -> bool:
    return path.suffix in {".py", ".ts", ".svelte", ".js", ".css"} and (
        "migrations" not in path.parts
    )


def lines(root: Path, path: Path) -> int:
    return len((root / path).read_text(encoding="utf-8").splitlines())


def test_no_source_file_is_too_long(root, written):
    long = {
        str(path): count
        for path in written
        if is_source(path) and (count := lines(root, path)) > LONGEST
    }

    assert {name: n for name, n in long.items() if name not in LONG_FOR_A_REASON} == {}


def test_most_source_files_are_short(root, written):
    counts = [
        lines(root, path)
        for path in written
        if is_source(path) and path.parts[0] != "tests" and path.name != "__init__.py"
    ]

    assert statistics.median(counts) < MEDIAN


def test_no_large_file_is_in_the_repository(root, written):
    assert [str(path) for path in written if (root / path).stat().st_size > LARGEST] == []


def test_init_files_re_export_nothing(root, tracked):
    filled = [
        str(path)
        for path in tracked
        if path.name == "__init__.py" and (root / path).read_text(encoding="utf-8").strip()
    ]

    assert filled == []


def test_tests_are_no_packages(tracked):
    assert [str(p) for p in tracked if p.name == "__init__.py" and p.parts[0] == "tests"] == []
