"""What a caller asks for: a template, its inputs, and maybe a model."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from jobs.dataset.errors import InvalidInput
from jobs.dataset.fields import Field, Inputs, read_inputs
from jobs.dataset.registry import find_template
from jobs.dataset.template import Template

MODEL_NAME = Field(name="model_name", label="Model")


@dataclass(frozen=True, slots=True)
class Order:
    """A request that was checked. unknown: names among the inputs that are no field."""

    template: Template
    inputs: Inputs
    model_name: str | None
    unknown: tuple[str, ...]

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Self:
        """Check a body. Raises UnknownTemplate, or InvalidInput naming the field."""
        template = find_template(body.get("template_id"))
        given = body.get("inputs")
        if given is None:
            given = {}
        if not isinstance(given, dict):
            raise InvalidInput("inputs must be an object with the template's fields")
        inputs = read_inputs(template.fields, given)
        named = read_inputs([MODEL_NAME], {"model_name": body.get("model_name")})
        template.check(inputs)
        known = {field.name for field in template.fields}
        unknown = tuple(str(name)[:60] for name in given if name not in known)
        return cls(template, inputs, named.text("model_name") or None, unknown)
