"""One JSON Schema as a whole: its size, its references, and what of it goes unenforced."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from inference.text.grammar.errors import NotExpressible

Schema = Mapping[str, Any] | bool

MAX_LENGTH = 250_000  # characters of the schema as JSON
MAX_DEPTH = 64  # schemas, objects and lists inside one another


class Document:
    """The schema that a caller sent, in which references are looked up.

    gaps: keywords that the grammar does not enforce, in the order of their discovery.
    negatable: schemas by their text, and whether what they refuse can be said.
    """

    def __init__(self, root: Schema) -> None:
        try:
            # A literal such as 1e999 is read as infinity, which JSON has no word for.
            length = len(json.dumps(root, allow_nan=False))
        except (TypeError, ValueError, RecursionError) as error:
            raise NotExpressible(f"the schema is no JSON: {error}") from error
        if length > MAX_LENGTH:
            raise NotExpressible(
                f"the schema has {length:,} characters, more than {MAX_LENGTH:,}; make it smaller"
            )
        if _depth(root) > MAX_DEPTH:
            raise NotExpressible(
                f"the schema nests deeper than {MAX_DEPTH}; use $ref for what repeats"
            )
        self.root = root
        self.gaps: dict[str, None] = {}
        self.negatable: dict[str, bool] = {}

    def leave(self, keyword: str) -> None:
        """Note that a keyword is not enforced."""
        self.gaps[keyword] = None

    def is_dynamic(self, keyword: str, ref: str) -> bool:
        """Tell whether where a reference leads depends on the way to it."""
        anchor = "$dynamicAnchor" if keyword == "$dynamicRef" else "$recursiveAnchor"
        name: Any = ref.partition("#")[2] if keyword == "$dynamicRef" else True
        places = [node for node in _objects(self.root) if node.get(anchor) == name]
        return len(places) > 1

    def resolve(self, ref: str) -> Schema:
        """Return the schema that `$ref` names. Raises NotExpressible if it is not in here."""
        base = self.root.get("$id") if isinstance(self.root, Mapping) else None
        _, _, fragment = ref.removeprefix(base if isinstance(base, str) else "").partition("#")
        if ref.removeprefix(str(base)).partition("#")[0]:
            raise NotExpressible(f"$ref {ref!r} points outside the schema")
        fragment = unquote(fragment)
        if fragment.startswith("/"):
            return checked(self._at_pointer(fragment), ref)
        if not fragment:
            return self.root
        for node in _objects(self.root):
            if fragment in (node.get("$anchor"), node.get("$dynamicAnchor")):
                return node
        raise NotExpressible(f"$ref {ref!r} points to nothing")

    def _at_pointer(self, pointer: str) -> Any:
        node: Any = self.root
        for part in pointer.split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            if isinstance(node, Mapping) and key in node:
                node = node[key]
            elif isinstance(node, list) and re.fullmatch(r"\d{1,9}", key) and int(key) < len(node):
                node = node[int(key)]
            else:
                raise NotExpressible(f"$ref '#{pointer}' points to nothing")
        return node


def checked(value: Any, where: str) -> Schema:
    """Return `value` as a schema, which is an object or a truth value."""
    if isinstance(value, Mapping | bool):
        return value
    raise NotExpressible(f"{where} of the schema must be an object or a truth value")


def checked_list(value: Any, where: str) -> list[Schema]:
    if not isinstance(value, list) or not value:
        raise NotExpressible(f"{where} of the schema must be a list that is not empty")
    return [checked(one, where) for one in value]


def checked_map(value: Any, where: str) -> dict[str, Schema]:
    if not isinstance(value, Mapping):
        raise NotExpressible(f"{where} of the schema must be an object")
    return {name: checked(one, f"{where}/{name}") for name, one in value.items()}


def _depth(root: Any) -> int:
    depth, level = 0, [root]
    while level:
        depth += 1
        level = [child for node in level for child in _children(node)]
    return depth


def _children(node: Any) -> list[Any]:
    if isinstance(node, Mapping):
        return list(node.values())
    return list(node) if isinstance(node, list) else []


def _objects(root: Any) -> Iterator[Mapping[str, Any]]:
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, Mapping):
            yield node
        pending.extend(_children(node))
