"""How a caller's wish to have the model think reaches its chat template."""

import re
from typing import Any

# Models that answer directly unless told to think, whatever their template says.
_DIRECT_BY_DEFAULT = ("minicpm5",)
# Levels of effort by what templates know: three words, of which the last differs.
_DEPTHS = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "high"}
_SWITCHES = ("enable_thinking", "thinking")


def thinks_by_default(model_type: str) -> bool | None:
    """Return what a model does when nobody says; None leaves it to its template."""
    return False if model_type.startswith(_DIRECT_BY_DEFAULT) else None


def thinking_options(
    chat_template: str, thinking: bool | None, effort: str | None
) -> dict[str, Any]:
    """Return the template's own variables for a decision to think and for its depth.

    thinking: None leaves the decision to the template. effort: as `ChatPrompt.effort`.
    """
    options: dict[str, Any] = {}
    if thinking is not None:
        known = [name for name in _SWITCHES if re.search(rf"\b{name}\b", chat_template)]
        options[known[0] if known else _SWITCHES[0]] = thinking
    if effort is not None and "reasoning_effort" in chat_template:
        depth = _DEPTHS[effort]
        deepest = "xhigh" if "xhigh" in chat_template else "high"
        options["reasoning_effort"] = deepest if depth == "high" else depth
    return options
