"""JSON that is almost right, made right: small steps, tried in order until the text is JSON.

Each step mends one kind of fault and returns other text as it was. All are linear.
"""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from inference.text.tools.json_values import decode

_WHOLE_STRING = r""""[^"\\]*+(?:\\.[^"\\]*+)*+"|'[^'\\]*+(?:\\.[^'\\]*+)*+'"""
# Or one that the end of the text cut off, perhaps within an escape.
_STRING = _WHOLE_STRING + r"""|["'].*\Z"""
STRING = re.compile(_STRING, re.DOTALL)
_SPLIT = re.compile(f"({_STRING})", re.DOTALL)
_TOKEN = re.compile(_STRING + r"|[{}\[\],:]", re.DOTALL)
_LITERAL = re.compile(r"\b(?:True|False|None)\b")
_IN_JSON = {"True": "true", "False": "false", "None": "null"}
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
_FENCE_TAG = re.compile(r"\w*\s*")
_BRACKET = re.compile(r"[{}\[\]]")
_CUT_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_ESCAPE = re.compile(
    r"""\\(u[0-9a-fA-F]{4}|U00(?:0[0-9a-fA-F]|10)[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.)|"|\\\Z""",
    re.DOTALL,
)

Step = Callable[[str], str]


def strip_fence(text: str) -> str:
    """Take text out of a Markdown fence, which prose without brackets may precede."""
    before, fence, rest = text.partition("```")
    if not fence or _BRACKET.search(before):
        return text
    return _FENCE_TAG.sub("", rest, count=1).rstrip().removesuffix("```")


def strip_prose(text: str) -> str:
    """Drop what precedes the first brace, unless brackets are in it."""
    first = _BRACKET.search(text)
    return text[first.start() :] if first and first.group() == "{" else text


def json_literals(text: str) -> str:
    """Spell Python's True, False and None as JSON does, outside of strings."""
    return _outside_strings(
        text, lambda part: _LITERAL.sub(lambda match: _IN_JSON[match.group()], part)
    )


def drop_trailing_commas(text: str) -> str:
    """Drop commas before a closing bracket, outside of strings."""
    return _outside_strings(text, lambda part: _TRAILING_COMMA.sub(r"\1", part))


def close_brackets(text: str) -> str:
    """Close arrays and objects left open, dropping a last member that has no value."""
    levels: list[_Level] = []
    last = ""
    for match in _TOKEN.finditer(text):
        last = token = match.group()
        if token in _CLOSER:
            levels.append(_Level(_CLOSER[token], match.end()))
        elif token in ("}", "]"):
            if not levels or levels.pop().closer != token:
                return text
        elif levels and token == ",":
            levels[-1].member = match.end()
            levels[-1].value = None
        elif levels and token == ":":
            levels[-1].value = match.end()
    if not levels or _is_open_string(last):
        return text
    if not levels[-1].is_complete(text):
        text = text[: levels[-1].member].rstrip().removesuffix(",")
    return text + "".join(level.closer for level in reversed(levels))


def close_cut_off(text: str) -> str:
    """Close what the end of an answer cut off: a string, and the brackets around it."""
    last = ""
    for match in STRING.finditer(text):
        last = match.group()
    if _is_open_string(last):
        text = text.removesuffix(last) + close_string(last)
    return close_brackets(text)


def json_strings(text: str) -> str:
    """Spell Python's strings, with their single quotes and their escapes, as JSON does."""
    parts = _SPLIT.split(text)
    parts[1::2] = map(to_json_string, parts[1::2])
    return "".join(parts)


def close_string(literal: str) -> str:
    """Close a string in either quotes that the end cut off, perhaps within an escape."""
    if _is_whole(literal):
        return literal
    cut = _CUT_ESCAPE.search(literal)
    if cut is not None:
        before = literal[: cut.start()]
        is_escape = (len(before) - len(before.rstrip("\\"))) % 2 == 0
        literal = before if is_escape else literal
    return literal + literal[0]


def to_json_string(literal: str) -> str:
    """Turn a string of Python's in either quotes, perhaps without its end, into JSON."""
    is_whole = _is_whole(literal)
    content = _ESCAPE.sub(_json_escape, literal[1:-1] if is_whole else literal[1:])
    return f'"{content}"' if is_whole else f'"{content}'


# For an envelope.
ENVELOPE_STEPS: Sequence[Step] = (
    strip_fence,
    strip_prose,
    json_literals,
    drop_trailing_commas,
    close_brackets,
    json_strings,
    drop_trailing_commas,
    close_brackets,
)
# For an envelope with nothing behind it: where a string may well be open. Elsewhere a string
# without an end has a quote missing, and nobody knows where.
CUT_OFF_STEPS: Sequence[Step] = tuple(
    close_cut_off if step is close_brackets else step for step in ENVELOPE_STEPS
)
# For a value that has its place in a call already.
VALUE_STEPS: Sequence[Step] = (
    json_literals,
    drop_trailing_commas,
    json_strings,
    drop_trailing_commas,
)


def decode_leniently(text: str, steps: Sequence[Step]) -> Any:
    """Return the value of `text`, mended by as few of `steps` as make it JSON.

    Raises ValueError if none does.
    """
    try:
        return decode(text)
    except ValueError as error:
        failure = error
    for step in steps:
        mended = step(text)
        if mended == text:
            continue
        text = mended
        try:
            return decode(text)
        except ValueError as error:
            failure = error
    raise failure


_CLOSER = {"{": "}", "[": "]"}


@dataclass(slots=True)
class _Level:
    """An open bracket: where its last member begins, and in objects the value of that."""

    closer: str
    member: int
    value: int | None = None

    def is_complete(self, text: str) -> bool:
        """Whether the last member is, up to the end of `text`."""
        start = self.member if self.closer == "]" else self.value
        value = "" if start is None else text[start:].rstrip()
        if not value or value[-1] in "\"'}]":
            return bool(value)
        try:
            decode(value)
        except ValueError:
            return False
        return True


def _is_open_string(token: str) -> bool:
    return token[:1] in ("'", '"') and not _is_whole(token)


def _is_whole(literal: str) -> bool:
    return re.fullmatch(_WHOLE_STRING, literal, re.DOTALL) is not None


def _outside_strings(text: str, change: Step) -> str:
    parts = _SPLIT.split(text)
    parts[::2] = [change(part) for part in parts[::2]]
    return "".join(parts)


def _json_escape(match: re.Match[str]) -> str:
    """Spell one escape of Python's as JSON does; one without a meaning means itself."""
    escape = match.group(1)
    if escape is None:
        return json.dumps(match.group())[1:-1]
    if escape == "'":
        return "'"
    if len(escape) > 1 and escape[0] in "xU":
        return json.dumps(chr(int(escape[1:], 16)))[1:-1]
    if escape in '"\\/bfnrt' or len(escape) == 5:
        return "\\" + escape
    return json.dumps("\\" + escape)[1:-1]
