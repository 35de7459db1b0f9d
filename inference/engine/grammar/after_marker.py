"""Lets a model reason first: its grammar begins behind the end of the reasoning."""

from collections import deque
from collections.abc import Sequence

import numpy as np

from inference.engine.grammar.matcher import CompiledGrammar, Mask


class AfterMarker:
    """A `TokenMatcher` that allows anything up to a marker, such as `</think>`, then a grammar.

    Before the marker no stop token is allowed: the answer would end without its text.
    Whitespace that shares a token with the marker's end is passed over.

    marker: UTF-8 bytes that end the free part, however they are cut into tokens.
    marker_tokens: ids that are the marker by themselves, having no bytes.
    bridge: ids that must follow the marker before the grammar begins: the answer's header.
    token_bytes: bytes of each token id.
    """

    def __init__(
        self,
        compiled: CompiledGrammar,
        *,
        marker: bytes,
        marker_tokens: frozenset[int] = frozenset(),
        bridge: Sequence[int] = (),
        token_bytes: Sequence[bytes],
    ) -> None:
        self._grammar = compiled.matcher()
        self._marker = marker
        self._marker_tokens = marker_tokens
        self._token_bytes = token_bytes
        self._free_mask = ~compiled.end_mask
        self._bridge = deque(bridge)  # what is left of it
        self._tail = b""  # what may be the marker's beginning
        self._is_free = True
        self._failure: str | None = None

    @property
    def is_done(self) -> bool:
        return self._is_in_grammar and self._grammar.is_done

    @property
    def is_complete(self) -> bool:
        return self._is_in_grammar and self._grammar.is_complete

    @property
    def _is_in_grammar(self) -> bool:
        return not self._is_free and not self._bridge

    @property
    def failure(self) -> str | None:
        return self._failure or self._grammar.failure

    def fill(self, row: Mask) -> None:
        if self._is_free:
            row[:] = self._free_mask[0]
        elif self._bridge:
            row[:] = 0
            row.view(np.uint32)[self._bridge[0] // 32] = 1 << self._bridge[0] % 32
        else:
            self._grammar.fill(row)

    def accept(self, token: int) -> bool:
        if self._is_in_grammar:
            return self._grammar.accept(token)
        if self._is_free:
            return self._accept_free(token)
        if token != self._bridge[0]:
            return False
        self._bridge.popleft()
        return True

    def _accept_free(self, token: int) -> bool:
        if not self._free_mask[0, token // 32] >> token % 32 & 1:
            return False
        if token in self._marker_tokens:
            self._is_free = False
            return True
        octets = self._token_bytes[token] if token < len(self._token_bytes) else b""
        before, found, behind = (self._tail + octets).partition(self._marker)
        # One byte less than the marker is all that a later token could complete.
        self._tail = before[max(len(before) - len(self._marker) + 1, 0) :]
        self._is_free = not found
        rest = behind.lstrip() if found else b""
        if rest and (self._bridge or not self._grammar.accept_text(rest)):
            self._failure = "a token joined the end of the reasoning to text the grammar forbids"
        return True
