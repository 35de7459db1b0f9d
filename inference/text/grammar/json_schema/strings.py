"""The strings that a flat schema allows, as an automaton over their characters."""

from typing import Any

from inference.text.grammar.errors import NotExpressible
from inference.text.grammar.json_schema.document import Document, Schema
from inference.text.grammar.json_schema.flatten import flatten
from inference.text.grammar.json_schema.formats import PATTERNS, UNENFORCED
from inference.text.grammar.json_schema.merge import Flat, types_of, values_of
from inference.text.grammar.regular.automaton import NOTHING, Automaton, of_length, words
from inference.text.grammar.regular.determinize import search_match

# A bound beyond this is dropped: each character up to it costs a rule and, once, the
# computing of a mask for the whole vocabulary.
MAX_COUNTED = 512


def string_automaton(document: Document, flat: Flat) -> Automaton | None:
    """Return the automaton of the strings of a flat schema; None for all strings.

    A pattern is searched for, a format matches as a whole, lengths count characters.
    """
    found: Automaton | None = None
    for pattern in _listed(flat.get("pattern")):
        if (matching := _matching(document, pattern)) is not None:
            found = _narrowed(found, matching)
    for name in _listed(flat.get("format")):
        if name in PATTERNS:
            found = _narrowed(found, search_match(f"^(?:{PATTERNS[name]})$"))
        elif name in UNENFORCED:
            document.leave(f"format {name}")
    for pattern in flat.get("excludedPatterns", ()):
        if (matching := _matching(document, pattern)) is not None:
            found = _narrowed(found, of_length(0, None) - matching)
    if excluded := [value for value in flat.get("excluded", ()) if isinstance(value, str)]:
        found = _narrowed(found, of_length(0, None) - words(excluded))
    length = _length(document, flat)
    if length is None:
        return found
    try:
        return _narrowed(found, length)
    except NotExpressible:
        document.leave("maxLength" if "maxLength" in flat else "minLength")
        return found


def _matching(document: Document, pattern: str) -> Automaton | None:
    """Return the automaton of the strings with a pattern in them; None if there is none."""
    try:
        return search_match(pattern)
    except NotExpressible as error:
        document.leave(f"pattern ({error})")
        return None


def name_automaton(document: Document, schema: Schema) -> Automaton | None:
    """Return the automaton of the names that `propertyNames` allows; None for all names."""
    union: Automaton = NOTHING
    for flat in flatten(document, schema):
        values = values_of(flat)
        if "string" not in types_of(flat):
            continue
        if values is not None:
            found: Automaton | None = words(value for value in values if isinstance(value, str))
        else:
            found = string_automaton(document, flat)
        if found is None:
            return None
        union = union | found
    return union


def _narrowed(found: Automaton | None, other: Automaton) -> Automaton:
    return other if found is None else found & other


def _length(document: Document, flat: Flat) -> Automaton | None:
    least, most = int(flat.get("minLength", 0)), flat.get("maxLength")
    if most is not None and int(most) < least:
        return NOTHING
    if least > MAX_COUNTED:
        document.leave("minLength")
        least = 0
    if most is not None and int(most) > MAX_COUNTED:
        document.leave("maxLength")
        most = None
    if least == 0 and most is None:
        return None
    return of_length(least, None if most is None else int(most))


def _listed(value: Any) -> list[str]:
    if value is None:
        return []
    return [value] if isinstance(value, str) else list(value)
