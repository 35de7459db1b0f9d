"""A way to build a dataset: what its form asks for, and how rows come of that."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from jobs.dataset.fields import Field, Inputs
from jobs.dataset.rows import OutputFormat, Row
from jobs.dataset.work import Work

Build = Callable[[Inputs, Work], Iterable[Row]]


def _accept(inputs: Inputs) -> None:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """One template. Each is a module of `jobs.dataset.templates`, named like its id.

    build: makes the rows, one after the other. Raises DatasetError for inputs that hold none.
    check: looks at inputs that fit their fields before the job begins, for what is quick to see
    and wrong; raises InvalidInput. needs_llm: whether it asks the server's model.
    """

    id: str
    label: str
    description: str
    output_format: OutputFormat
    fields: tuple[Field, ...]
    build: Build
    check: Callable[[Inputs], object] = _accept
    needs_llm: bool = False

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "label": self.label,
            "description": self.description,
            "output_format": self.output_format,
            "needs_llm": self.needs_llm,
            "fields": [field.to_json() for field in self.fields],
        }
