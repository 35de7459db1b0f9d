"""llguidance as a second opinion: which bytes it lets follow, and where it differs on purpose."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import llguidance
import numpy as np

from tests.plugins.grammar import STOP

BLANKS = r"[ \n\r\t]{0,32}"


class _Bytes:
    """A tokenizer of single bytes, as `tests/plugins/grammar.py` has it."""

    eos_token_id = STOP
    bos_token_id = None
    special_token_ids = (STOP,)
    tokens = (*(bytes([octet]) for octet in range(256)), b"\xff<stop>")

    def __call__(self, text: str | bytes) -> list[int]:
        return list(text.encode() if isinstance(text, str) else text)


_TOKENIZER = llguidance.LLTokenizer(llguidance.TokenizerWrapper(_Bytes()))


class Oracle:
    """The place of a text in llguidance's grammar.

    refusal: why it has no grammar for the constraint; empty if it has one.
    """

    def __init__(self, grammar: str) -> None:
        self._matcher = llguidance.LLMatcher(_TOKENIZER, grammar, log_level=0)
        self.refusal: str = self._matcher.get_error()

    @classmethod
    def of_schema(cls, schema: Any, *, any_whitespace: bool) -> "Oracle":
        blanks = (
            {"whitespace_pattern": BLANKS} if any_whitespace else {"whitespace_flexible": False}
        )
        escapes = {"json_allow_general_unicode_escapes": True}
        return cls(
            llguidance.LLMatcher.grammar_from_json_schema(
                json.dumps(schema), overrides={**blanks, **escapes}
            )
        )

    @classmethod
    def of_regex(cls, pattern: str) -> "Oracle":
        return cls(llguidance.LLMatcher.grammar_from_regex(pattern))

    def allowed(self) -> set[int]:
        """Return the bytes that may come next, and STOP if the text may end."""
        if self._matcher.is_stopped():
            return {STOP} if self._matcher.is_accepting() else set()
        mask = np.frombuffer(self._matcher.compute_bitmask(), dtype=np.uint8)
        return set(np.flatnonzero(np.unpackbits(mask, bitorder="little")[: STOP + 1]).tolist())

    def accept(self, token: int) -> None:
        assert self._matcher.consume_token(token), self._matcher.get_error()


@dataclass(frozen=True)
class Difference:
    """Bytes that one of the two lets follow and the other does not, and why.

    before: what the text ends in; octets: the bytes. Both are regular expressions.
    cases: names of the schemas that it is found in; None for any.
    """

    reason: str
    before: bytes
    octets: bytes
    cases: frozenset[str] | None = None

    def explains(self, name: str, text: bytes, octet: int) -> bool:
        follows = b"<stop>" if octet == STOP else bytes([octet])
        return (
            (self.cases is None or name in self.cases)
            and re.fullmatch(self.octets, follows, re.DOTALL) is not None
            and re.search(rb"(?:" + self.before + rb")\Z", text, re.DOTALL) is not None
        )


def among(*names: str) -> frozenset[str]:
    return frozenset(names)


def unexplained(
    table: Iterable[Difference], name: str, text: bytes, octets: Iterable[int]
) -> tuple[set[Difference], list[int]]:
    """Return the rows that explain some bytes after a text, and the bytes that none explains."""
    used: set[Difference] = set()
    left = []
    for octet in octets:
        rows = {row for row in table if row.explains(name, text, octet)}
        used |= rows
        if not rows:
            left.append(octet)
    return used, left
