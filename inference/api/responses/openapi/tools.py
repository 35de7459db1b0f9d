"""The tools of a request; what reads them is `tools.py` and `tool_choice.py`."""

from inference.api.openapi.schema import (
    Component,
    Schema,
    anything,
    array,
    either,
    fields,
    text,
    word,
)
from inference.api.responses.tools import ToolKind

_DESCRIPTION = text("What it does, for the model")


def _other(*known: str) -> Schema:
    """A tool of a type that is not known; it is left out."""
    return {
        "type": "object",
        "description": "A tool that runs elsewhere, as `web_search`; it is left out",
        "properties": {"type": {"not": {"enum": list(known)}}},
    }


_FUNCTION = Component(
    "ResponseFunctionTool",
    fields(
        required={"type": word(ToolKind.FUNCTION), "name": text(minLength=1)},
        optional={
            "description": _DESCRIPTION,
            "parameters": {"type": "object", "description": "A JSON Schema of the arguments"},
            "strict": anything("Whether calls are held to the parameters"),
        },
    ),
)
_CUSTOM = Component(
    "ResponseCustomTool",
    fields(
        "Takes plain text; to the model it is a function with one string",
        required={"type": word(ToolKind.CUSTOM), "name": text(minLength=1)},
        optional={
            "description": _DESCRIPTION,
            "format": anything("The grammar of the text, which the model is told"),
        },
    ),
)
_NAMESPACE = Component(
    "ResponseNamespace",
    fields(
        "Tools whose names begin with this one's for the model",
        required={
            "type": word("namespace"),
            "name": text(minLength=1),
            "tools": array(either(_FUNCTION, _CUSTOM, _other(*ToolKind))),
        },
    ),
)
TOOL = Component(
    "ResponseTool", either(_FUNCTION, _CUSTOM, _NAMESPACE, _other(*ToolKind, "namespace"))
)

_NAMED = Component(
    "ResponseNamedTool",
    fields(
        "One of the tools",
        required={"type": word(*ToolKind), "name": text()},
        optional={"namespace": text("Of the tool, if it is in one")},
    ),
)
TOOL_CHOICE = either(
    word("none", "auto", "required"),
    _NAMED,
    fields(
        "Offers some of the tools",
        required={
            "type": word("allowed_tools"),
            "tools": array(either(_NAMED, _other(*ToolKind))),
            "mode": word("auto", "required"),
        },
    ),
    {
        "type": "object",
        "description": "A tool that runs elsewhere, which means `auto`",
        "properties": {"type": {"type": "string", "not": {"enum": [*ToolKind, "allowed_tools"]}}},
        "required": ["type"],
    },
    description="`none` offers no tools; `required` and a named tool enforce a call",
    default="auto",
)
