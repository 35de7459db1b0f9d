"""The strings that a flat schema allows, as an automaton over their characters."""

from typing import Any

from inference.text.grammar.errors import NotExpressible
from inference.text.grammar.json_schema.document import Document, Schema
from inference.text.grammar.json_schema.flatten import flatten
from inference.text.grammar.json_schema.merge import Flat, types_of, values_of
from inference.text.grammar.regular.automaton import NOTHING, Automaton, of_length, words
from inference.text.grammar.regular.determinize import search_match

# A bound beyond this is dropped: each character up to it costs a rule and, once, the
# computing of a mask for the whole vocabulary.
MAX_COUNTED = 512

_LEAP_YEAR = r"(?:[1-9]\d(?:0[48]|[2468][048]|[13579][26])|(?:[2468][048]|[13579][26])00)"
_DATE = (
    r"(?:[1-9]\d{3}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])"
    r"|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|02-(?:0[1-9]|1\d|2[0-8]))"
    rf"|{_LEAP_YEAR}-02-29)"
)
_TIME = r"(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,30}[A-Za-z0-9])?"
_HOST = rf"{_LABEL}(?:\.{_LABEL})*"
_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_FORMATS = {
    "date": _DATE,
    "time": _TIME,
    "date-time": rf"{_DATE}T{_TIME}",
    "duration": r"P(?:\d{1,9}W|\d{1,9}[YMD](?:T\d{1,9}[HMS])?|T\d{1,9}[HMS])",
    "email": rf"[A-Za-z0-9_+-]+(?:\.[A-Za-z0-9_+-]+)*@{_HOST}",
    "hostname": _HOST,
    "ipv4": rf"{_OCTET}(?:\.{_OCTET}){{3}}",
    "ipv6": r"[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4}){7}|::|::1",
    "uri": r"[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9._~:/?#@!$&'()*+,;=-]+",
    "uuid": r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}",
}


def string_automaton(document: Document, flat: Flat) -> Automaton | None:
    """Return the automaton of the strings of a flat schema; None for all strings.

    A pattern is searched for, a format matches as a whole, lengths count characters.
    """
    found: Automaton | None = None
    for pattern in _listed(flat.get("pattern")):
        found = _narrowed(found, search_match(pattern))
    for name in _listed(flat.get("format")):
        if name in _FORMATS:
            found = _narrowed(found, search_match(f"^(?:{_FORMATS[name]})$"))
    length = _length(document, flat)
    if length is None:
        return found
    try:
        return _narrowed(found, length)
    except NotExpressible:
        document.leave("maxLength" if "maxLength" in flat else "minLength")
        return found


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
