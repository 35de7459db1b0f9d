"""Cuts a text into lines that give the text back when they are joined.

Only a line feed ends a line, as in git, in browsers and in the numbers that the wire carries;
Python's `splitlines` would also end lines at form feeds and at a few rarer characters.
"""


def split_lines(text: str) -> list[str]:
    """Return the lines of `text`, each with its line end, if it has one."""
    lines = text.split("\n")
    last = lines.pop()
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def content_of(line: str) -> str:
    """Return a line without its end."""
    return line.rstrip("\r\n")


def line_end_of(text: str) -> str:
    """Return how lines end in `text`, as its first line has it."""
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"
