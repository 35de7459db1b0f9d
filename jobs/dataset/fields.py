"""The fields of a template's form: what the page shows of them, and what values they take."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from jobs.dataset.errors import InvalidInput

LONGEST_LINE = 2_000  # characters of a `text` field
LONGEST_TEXT = 4_000_000  # characters of a `textarea` field; the job's row keeps them
LARGEST_NUMBER = 1_000_000


class FieldType(StrEnum):
    """How a page asks for it, in the wire's words."""

    TEXT = "text"
    TEXTAREA = "textarea"
    NUMBER = "number"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One input. words: the only ones that are taken, for text. Limits are a number's."""

    name: str
    label: str
    type: FieldType = FieldType.TEXT
    hint: str = ""
    required: bool = False
    default: str | int | None = None
    minimum: int = 1
    maximum: int = LARGEST_NUMBER
    words: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The field as the form takes it; what says nothing is left out."""
        shown: dict[str, Any] = {"name": self.name, "type": self.type, "label": self.label}
        if self.hint:
            shown["hint"] = self.hint
        if self.required:
            shown["required"] = True
        if self.default is not None:
            shown["default"] = self.default
        return shown

    def read(self, value: object) -> str | int:
        """Check a value that is there. Raises InvalidInput with the field, limit and value."""
        return self._number(value) if self.type is FieldType.NUMBER else self._text(value)

    def _number(self, value: object) -> int:
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        # A whole number may come as 5.0; comparing comes first, since infinity is no int.
        if (
            not is_number
            or not self.minimum <= value <= self.maximum  # type: ignore[operator]
            or value != int(value)  # type: ignore[call-overload]
        ):
            raise InvalidInput(
                f"{self.name} must be a whole number from {self.minimum:,} to {self.maximum:,}, "
                f"not {shown(value)}"
            )
        return int(value)  # type: ignore[call-overload, no-any-return]

    def _text(self, value: object) -> str:
        if not isinstance(value, str):
            raise InvalidInput(f"{self.name} must be text, not {shown(value)}")
        limit = LONGEST_TEXT if self.type is FieldType.TEXTAREA else LONGEST_LINE
        if len(value) > limit:
            raise InvalidInput(
                f"{self.name} has {len(value):,} characters, and {limit:,} are allowed: shorten it"
            )
        if self.words and value.strip() not in self.words:
            raise InvalidInput(
                f"{self.name} must be one of {', '.join(self.words)}, not {shown(value)}"
            )
        return value.strip() if self.type is FieldType.TEXT else value


class Inputs:
    """Checked values of all fields of a template, defaults among them."""

    def __init__(self, values: Mapping[str, str | int]) -> None:
        self._values = values

    def text(self, name: str) -> str:
        """Of a text field; empty if it was left open."""
        return str(self._values.get(name, ""))

    def number(self, name: str) -> int:
        """Of a number field, which has a default."""
        return int(self._values[name])

    def short(self) -> dict[str, str | int]:
        """The values that fit a line of a record; longer ones are what the dataset is made of."""
        return {
            name: value
            for name, value in self._values.items()
            if value != "" and len(str(value)) <= LONGEST_LINE and "\n" not in str(value)
        }


def read_inputs(fields: Iterable[Field], given: Mapping[str, Any]) -> Inputs:
    """Check what was given. Null and blank count as left out; names of no field are ignored.

    Raises InvalidInput.
    """
    values: dict[str, str | int] = {}
    for field in fields:
        value = given.get(field.name)
        if value is None or (isinstance(value, str) and not value.strip()):
            if field.required:
                raise InvalidInput(f"{field.name} required")
            if field.default is not None:
                values[field.name] = field.default
        else:
            values[field.name] = field.read(value)
    return Inputs(values)


def shown(value: object) -> str:
    """A value as an error shows it: short."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
