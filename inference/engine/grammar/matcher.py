"""Follows one sequence through its grammar and says which tokens may come next.

The order of things, for each token of a constrained row:

    fill      the mask of the step, before it is launched
    (launch)  logits, processors, `apply_bitmask`, log-softmax, filters, draw
    accept    the token, once it has been read back; then look at `is_done`

So a constrained row can only be launched after its last token was read. An engine that
works one step ahead leaves the row out of the step in between, or reads first.
"""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

# One step of a sound grammar takes microseconds, of a hard one milliseconds. Beyond this
# the other rows of the batch would feel it. What counts is what this thread computes: that
# other programs keep the machine busy is no fault of a grammar.
MAX_STEP_SECONDS = 1.0

Mask = NDArray[np.int32]


def num_words(vocab_size: int) -> int:
    """Return how many int32 a mask of so many tokens takes."""
    return -(-vocab_size // 32)


class CompiledGrammar:
    """A grammar over the tokens of one model; any number of sequences follow it at once.

    native: xgrammar's compiled grammar.
    matcher_class: makes its native matchers.
    end_mask: (1, words) int32, the bits that lead nowhere: the stop tokens', and those that
        pad the last word, which are set at times.
    """

    def __init__(self, native: Any, matcher_class: Callable[..., Any], end_mask: Mask) -> None:
        self._native = native
        self._matcher_class = matcher_class
        self.end_mask = end_mask

    @property
    def nbytes(self) -> int:
        """Memory in use; it grows as sequences reach new places in the grammar."""
        return int(self._native.memory_size_bytes)

    def matcher(self) -> "GrammarMatcher":
        """Return a matcher at the grammar's start."""
        # The arguments: no other stop tokens, an end only at a stop token, rollback without
        # limit, no temperature of its own.
        native = self._matcher_class(self._native._handle, None, False, -1, None)
        return GrammarMatcher(native, self.end_mask)


class GrammarMatcher:
    """The place of one sequence in its grammar: a `TokenMatcher`. Thread: one at a time.

    A stop token is allowed where the text so far is complete.
    is_complete: the text so far satisfies the grammar, even if more may follow.
    mask: (1, words) int32, the tokens that may come next.
    """

    def __init__(self, native: Any, end_mask: Mask) -> None:
        self._native = native
        self._end_mask = end_mask
        self.mask = np.zeros_like(end_mask)
        self.is_done = False
        self.failure: str | None = None
        self._look_ahead()

    @property
    def is_complete(self) -> bool:
        return bool(self._native.is_terminated() or self._native.is_completed())

    @property
    def is_stuck(self) -> bool:
        """Whether the text is not complete and no token leads on."""
        return self.is_done and not self.is_complete

    def fill(self, row: Mask) -> None:
        row[:] = self.mask[0]

    def accept(self, token: int) -> bool:
        started = time.thread_time()
        if self._native.is_terminated() or not self._native.accept_token(token, False):
            return False
        self._look_ahead()
        seconds = time.thread_time() - started
        if seconds > MAX_STEP_SECONDS:
            self.failure = (
                f"a step through the grammar took {seconds:.1f} s, more than "
                f"{MAX_STEP_SECONDS:.0f} s; give it fewer ways to read the same text"
            )
        return True

    def accept_text(self, text: bytes) -> bool:
        """Go on by bytes that are no token of their own; one step for `rollback`."""
        if self._native.is_terminated() or not self._native.accept_string(text, False):
            return False
        self._look_ahead()
        return True

    def rollback(self, count: int) -> None:
        """Take the last `count` steps back."""
        self._native.rollback(count)
        self._look_ahead()

    def fork(self) -> "GrammarMatcher":
        """Return a matcher at the same place that goes its own way."""
        return GrammarMatcher(self._native.fork(), self._end_mask)

    def _look_ahead(self) -> None:
        """Compute the mask of the next token, and whether only the end is left."""
        if self._native.is_terminated():
            self.mask[:] = 0
        elif not self._native.fill_next_token_bitmask(self.mask, 0, False):
            self.mask[:] = -1  # everything is allowed; the mask was not written
        self.is_done = not np.any(self.mask & ~self._end_mask)
        if self.is_stuck:
            self.failure = "the grammar leads to a place where no token of this model fits"
