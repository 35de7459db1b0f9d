"""What the terminal shows of a server that is ready."""

from collections.abc import Sequence

INDENT = "  "


def render(
    title: str, facts: Sequence[tuple[str, str]], *, closing: str, width: int | None = None
) -> str:
    """Lay out label and value pairs as two columns under a title.

    width: columns of the terminal, to wrap long values under their own column; None never
        wraps, for logs.
    """
    column = max(len(label) for label, _ in facts) + 2
    lines = ["", INDENT + title, ""]
    for label, value in facts:
        room = max(24, width - len(INDENT) - column) if width else None
        for index, part in enumerate(_wrap(value, room)):
            lines.append(INDENT + (label if index == 0 else "").ljust(column) + part)
    return "\n".join([*lines, "", INDENT + closing, ""])


def _wrap(value: str, room: int | None) -> list[str]:
    # Not textwrap: a URL or a model's name stays whole, to be copied from the terminal.
    lines = [""]
    for word in value.split(" "):
        if room and lines[-1] and len(lines[-1]) + 1 + len(word) > room:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}" if lines[-1] else word
    return lines
