"""What a model of the scripted template writes, and how its prompts repeat it."""

import json
from typing import Any

GENERATION = "<assistant>"


def call(name: str, **arguments: Any) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


def goes_on_from(later: str, earlier: str) -> bool:
    """Tell whether a prompt begins with all of an earlier one, up to where the model wrote."""
    return later.startswith(earlier.removesuffix(GENERATION))
