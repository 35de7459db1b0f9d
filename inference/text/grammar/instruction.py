"""Asks in words for what no grammar enforces: the system message of an unconstrained answer."""

import json

from inference.constraint import AnyJson, Choice, Constraint, Ebnf, JsonSchema, Regex

# A longer schema or grammar would leave the conversation no room; it is only mentioned.
_MAX_SHOWN = 16_000  # characters

_ONLY = "and nothing else: no explanation and no code fence"


def instruction(constraint: Constraint) -> str:
    """Return a system message that describes the constraint to the model."""
    match constraint:
        case AnyJson():
            return f"Answer with one JSON value {_ONLY}."
        case JsonSchema(schema):
            shown = json.dumps(schema, ensure_ascii=False)
            return _showing(f"Answer with one JSON value that fits a JSON Schema, {_ONLY}.", shown)
        case Ebnf(grammar):
            return _showing(
                f"Answer with text that the rule root of a grammar derives, {_ONLY}.", grammar
            )
        case Regex(pattern):
            return _showing(
                f"Answer with text that a regular expression matches as a whole, {_ONLY}.", pattern
            )
        case Choice(options):
            shown = json.dumps(options, ensure_ascii=False)
            return _showing(f"Answer with exactly one string of a list, {_ONLY}.", shown)


def _showing(sentence: str, shown: str) -> str:
    return f"{sentence}\n\n{shown}" if len(shown) <= _MAX_SHOWN else sentence
