"""Makes texts short enough to ask about, at the border of a word."""

CUT = "…"


def clip(text: str, limit: int) -> str:
    """Return text of `limit` characters at most, white space made one."""
    text = " ".join(text.split())
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    return (head.rpartition(" ")[0] or head).rstrip() + CUT
