"""Lists as models write them: a JSON array if they manage, else commas, else bullets."""

import re
from typing import Any

from jobs.dataset.parsing import json_text
from jobs.dataset.parsing.text import lines

LONGEST_ITEM = 300  # characters
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)+)"|“([^”]+)”')
_BULLET = re.compile(r"^(?:[-*+\u2022\u2013]|\(?\d{1,3}[.):])\s+(?=\S)")
_QUOTES = "\"'`“”\u2018\u2019"
_MEMBERS = ("instruction", "question", "text", "prompt", "task")


def list_schema(count: int) -> dict[str, Any]:
    """The JSON Schema of a list of so many texts."""
    item = {"type": "string", "minLength": 8, "maxLength": LONGEST_ITEM}
    return {"type": "array", "items": item, "minItems": count, "maxItems": count}


def parse_list(text: str) -> list[str]:
    """Return the items of a list, in order, each once; empty if there is none to be seen."""
    for read in (_json_array, _comma_list, _bullets):
        if items := _distinct(read(text)):
            return items
    return []


def _json_array(text: str) -> list[str]:
    for value in json_text.find_values(text, "["):
        if items := [item for item in map(_said, value) if item]:
            return items
    return []


def _said(item: Any) -> str:
    """An item of an array: text, or an object around it."""
    if isinstance(item, dict):
        found = [item[name] for name in _MEMBERS if isinstance(item.get(name), str)]
        item = found[0] if found else None
    return item.strip() if isinstance(item, str) else ""


def _comma_list(text: str) -> list[str]:
    """Quoted items with commas between them, or a single line with several commas.

    One comma is more often part of a sentence than the end of an item.
    """
    quoted = [first or second for first, second in _QUOTED.findall(text)]
    is_cut = text.lstrip("`json \n").startswith("[")  # an array that never ends
    if is_cut or (len(quoted) > 1 and not _QUOTED.sub("", text).strip(" ,;\n\t.")):
        return [item.strip() for item in quoted]
    only = lines(text)
    if len(only) == 1 and not _BULLET.match(only[0]) and only[0].count(",") > 1:
        return [item.strip(f" .{_QUOTES}") for item in only[0].split(",")]
    return []


def _bullets(text: str) -> list[str]:
    """Lines with a bullet or a number; without any of those, all lines but an announcement."""
    all_lines = [line for line in lines(text) if not line.startswith("```")]
    marked = [line for line in all_lines if _BULLET.match(line)]
    items = marked or [line for line in all_lines if not line.endswith(":")]
    return [_BULLET.sub("", line).strip(f" {_QUOTES}") for line in items]


def _distinct(items: list[str]) -> list[str]:
    """Each item once, as it came first; those that say nothing are left out."""
    said = [item for item in items if any(map(str.isalnum, item))]
    return list({item.casefold(): item for item in reversed(said)}.values())[::-1]
