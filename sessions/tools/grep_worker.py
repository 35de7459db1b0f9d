"""The process of `grep`: prints matching lines of the files below a folder."""

import argparse
import io
import re
import sys
from pathlib import Path

from sessions.tools.files import walk

MOST_MATCHES = 500
LONGEST_LINE = 400  # characters shown of one
LARGEST_FILE = 5 * 2**20  # bytes
# Exit statuses beside 0; not 1, which is Python's own for an error that nobody expected.
NOTHING, BAD_PATTERN = 3, 2


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ignore-case", action="store_true")
    parser.add_argument("pattern")
    parser.add_argument("where", type=Path)
    parser.add_argument("root", type=Path)
    args = parser.parse_args()
    if isinstance(sys.stdout, io.TextIOWrapper):  # names of files may have no UTF-8
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    try:
        pattern = re.compile(args.pattern, re.IGNORECASE if args.ignore_case else 0)
    except (re.error, OverflowError, RecursionError) as error:
        print(f"the pattern is no regular expression: {error}")  # noqa: T201 - read by the tool
        return BAD_PATTERN
    paths = [args.where] if args.where.is_file() else walk(args.where)
    found = 0
    for path in paths:
        for number, line in _lines(path):
            if pattern.search(line):
                print(f"{path.relative_to(args.root)}:{number}: {line[:LONGEST_LINE]}")  # noqa: T201
                found += 1
                if found == MOST_MATCHES:
                    print(f"[stopped after {MOST_MATCHES} matches]")  # noqa: T201
                    return 0
    return 0 if found else NOTHING


def _lines(path: Path) -> list[tuple[int, str]]:
    try:
        if path.is_symlink() or path.stat().st_size > LARGEST_FILE:
            return []
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return []
    return list(enumerate(text.splitlines(), 1))


if __name__ == "__main__":
    sys.exit(main())
