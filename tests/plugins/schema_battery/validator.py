"""Says by jsonschema what a schema accepts: the judge that is not ours."""

import datetime
import json
import re
import urllib.parse
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import jsonschema
import regex
from jsonschema import FormatChecker, ValidationError
from jsonschema.validators import extend, validator_for

FORMATS = FormatChecker()


def validator(schema: Any) -> Any:
    """Return a validator of the draft that a schema names, 2020-12 by default.

    Steps divide exactly; patterns take `\\d` and `\\w` for ASCII, as ECMA-262 does, and `$` for
    the end of the text.
    """
    draft = validator_for(schema, default=jsonschema.Draft202012Validator)
    return _exact(draft)(schema, format_checker=FORMATS)


@cache
def _exact(draft: Any) -> Any:
    return extend(draft, {"multipleOf": _multiple_of, "pattern": _pattern})


def accepts(schema: Any, value: Any) -> bool:
    return bool(validator(schema).is_valid(value))


def faults(schema: Any, text: str | bytes) -> list[set[str]]:
    """Return what a JSON text goes against: for each fault the keywords on the way to it."""
    return [
        set(map(str, error.absolute_schema_path))
        for error in validator(schema).iter_errors(json.loads(text))
    ]


def _multiple_of(_: Any, step: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    is_number = isinstance(instance, int | float) and not isinstance(instance, bool)
    if is_number and Fraction(str(instance)) % Fraction(str(step)):
        yield ValidationError(f"{instance} is no multiple of {step}")


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    try:
        found = not isinstance(instance, str) or regex.search(_spelled(pattern), instance)
    except regex.error:
        return  # this judge cannot tell
    if not found:
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


# What stands for others in ECMA-262, as members of a class.
_CLASSES = {
    r"\d": "0-9",
    r"\w": "A-Za-z0-9_",
    r"\s": r" \t\n\v\f\r\u00a0\ufeff\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000",
}


def _spelled(pattern: str) -> str:
    """Spell a pattern of ECMA-262 for `regex`."""
    parts, in_class = [], False
    for part in regex.findall(r"\\.|.", pattern, regex.DOTALL):
        in_class = (in_class or part == "[") and part != "]"
        if part in _CLASSES:
            parts.append(_CLASSES[part] if in_class else f"[{_CLASSES[part]}]")
        else:
            parts.append(r"\Z" if part == "$" and not in_class else part)
    return "".join(parts)


def _split(text: str) -> urllib.parse.SplitResult | None:
    """Return the parts of a reference; None for what no reference may hold."""
    if re.search(r'[\x00-\x20<>"{}|\\^`\x7f-\x9f]', text):
        return None
    try:
        return urllib.parse.urlsplit(text)
    except ValueError:
        return None


@FORMATS.checks("email")
@FORMATS.checks("idn-email")
def _is_email(text: Any) -> bool:
    pattern = r"[^\s@]+@[^\s@.]+(\.[^\s@.]+)*"
    return not isinstance(text, str) or re.fullmatch(pattern, text) is not None


@FORMATS.checks("uri")
def _is_uri(text: Any) -> bool:
    return not isinstance(text, str) or (text.isascii() and _is_iri(text))


@FORMATS.checks("iri")
def _is_iri(text: Any) -> bool:
    parts = _split(text) if isinstance(text, str) else None
    return not isinstance(text, str) or (parts is not None and bool(parts.scheme))


@FORMATS.checks("uri-reference")
def _is_uri_reference(text: Any) -> bool:
    return not isinstance(text, str) or (text.isascii() and _split(text) is not None)


@FORMATS.checks("iri-reference")
def _is_iri_reference(text: Any) -> bool:
    return not isinstance(text, str) or _split(text) is not None


@FORMATS.checks("date-time", raises=ValueError)
def _is_date_time(text: Any) -> bool:
    if not isinstance(text, str):
        return True
    found = datetime.datetime.fromisoformat(re.sub(r"(\.\d{1,6})\d*", r"\1", text))
    return found.tzinfo is not None and "T" in text


@FORMATS.checks("time", raises=ValueError)
def _is_time(text: Any) -> bool:
    return _is_date_time(f"2024-01-01T{text}") if isinstance(text, str) else True


@FORMATS.checks("duration")
def _is_duration(text: Any) -> bool:
    pattern = r"P(?=.)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+S)?)?)"
    return not isinstance(text, str) or re.fullmatch(pattern, text, re.ASCII) is not None


@FORMATS.checks("hostname")
def _is_hostname(text: Any) -> bool:
    label = r"(?!-)[A-Za-z0-9-]{1,63}(?<!-)"
    return not isinstance(text, str) or re.fullmatch(rf"{label}(\.{label})*", text) is not None


@FORMATS.checks("idn-hostname", raises=UnicodeError)
def _is_idn_hostname(text: Any) -> bool:
    return not isinstance(text, str) or _is_hostname(text.encode("idna").decode())


@FORMATS.checks("json-pointer")
def _is_json_pointer(text: Any) -> bool:
    return not isinstance(text, str) or re.fullmatch(r"(/([^~/]|~[01])*)*", text, re.S) is not None


@FORMATS.checks("relative-json-pointer")
def _is_relative_json_pointer(text: Any) -> bool:
    if not isinstance(text, str):
        return True
    found = re.fullmatch(r"(0|[1-9][0-9]*)(#|(/.*)?)", text, re.S)
    return found is not None and (found[2] == "#" or _is_json_pointer(found[2]))


@FORMATS.checks("uri-template")
def _is_uri_template(text: Any) -> bool:
    if not isinstance(text, str):
        return True
    name = r"[A-Za-z0-9_.%]+(?::[1-9][0-9]{0,3}|\*)?"
    literal = re.sub(rf"\{{[+#./;?&]?{name}(,{name})*\}}", "", text)
    return re.search(r'[\s<>"{}|\\^`\']', literal) is None
