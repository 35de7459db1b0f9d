"""Code within a line: what stands between two runs of as many backticks."""

import re

_RUN = re.compile(r"`+")


def code_spans(line: str) -> list[tuple[int, int]]:
    """Return where code begins and ends in `line`, the backticks included. Linear."""
    runs = [match.span() for match in _RUN.finditer(line)]
    closers = _closers(runs)
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(runs):
        closer = closers[at]
        if closer is None:
            at += 1
        else:
            found.append((runs[at][0], runs[closer][1]))
            at = closer + 1
    return found


def blank_out_code(line: str) -> str:
    """Return `line` with spaces in place of code, so that what is found keeps its place."""
    if "`" not in line:
        return line
    pieces: list[str] = []
    at = 0
    for start, end in code_spans(line):
        pieces += line[at:start], " " * (end - start)
        at = end
    return "".join([*pieces, line[at:]])


def _closers(runs: list[tuple[int, int]]) -> list[int | None]:
    """For each run, the place of the next one of its length."""
    nearest: dict[int, int] = {}
    closers: list[int | None] = [None] * len(runs)
    for at in range(len(runs) - 1, -1, -1):
        start, end = runs[at]
        closers[at] = nearest.get(end - start)
        nearest[end - start] = at
    return closers
