"""Keeps a model from going round in circles: rules for the calls that one prompt leads to."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

MOST_TURNS = 25
_FAILURES = 3
NUDGE = "This call has failed {count} times in the same way. Try another approach."
REPEATED = "This was just called with the same arguments, and the result was:\n{result}"
ENOUGH = (
    f"{MOST_TURNS} rounds of tools are over, so no further call is made. "
    "Answer now with what you have."
)
ENDLESS = "the model does not stop calling tools; its answer ends here"
_MOST_REFUSED = 3  # rounds, once no call is made any more


class LoopGuard:
    """One for each prompt of the user. turns: rounds of calls that are over."""

    def __init__(self) -> None:
        self.turns = 0
        self._last: tuple[set[str], str] | None = None  # what succeeded last, and its result
        self._failures: dict[str, int] = {}

    @property
    def is_spent(self) -> bool:
        """Whether no further call is made."""
        return self.turns >= MOST_TURNS

    @property
    def is_over(self) -> bool:
        """Whether the model was told so often enough."""
        return self.turns >= MOST_TURNS + _MOST_REFUSED

    def refusal(self, tool: str, args: Mapping[str, Any]) -> str | None:
        """Say why a call is not to be made; None if it may."""
        if self.is_spent:
            return ENOUGH
        if self._last is not None and _key(tool, args) in self._last[0]:
            return REPEATED.format(result=self._last[1])
        return None

    def note(
        self, tool: str, spellings: Sequence[Mapping[str, Any]], result: str, *, ok: bool
    ) -> str:
        """Take in how a call went; returns what the model is to read of it.

        spellings: the arguments as the model gave them, and as the user put them right: a model
        that repeats either makes the same call.
        """
        keys = {_key(tool, args) for args in spellings}
        if ok:
            self._last = (keys, result)
            for key in keys:
                self._failures.pop(key, None)
            return result
        self._last = None
        for key in keys:
            self._failures[key] = self._failures.get(key, 0) + 1
        count = max(self._failures[key] for key in keys)
        return result if count < _FAILURES else f"{result}\n\n{NUDGE.format(count=count)}"


def _key(tool: str, args: Mapping[str, Any]) -> str:
    return f"{tool} {json.dumps(args, sort_keys=True)}"
