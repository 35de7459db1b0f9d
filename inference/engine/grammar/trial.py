"""A short walk through a caller's grammar, before any sequence follows it.

A grammar that can read one text in many ways makes a step as dear as there are ways, and a
step cannot be stopped. Most such grammars show it within a few tokens. As in `matcher`, what counts
is what this thread computes.
"""

import time

import numpy as np

from inference.constraint import GrammarNotEnforced
from inference.engine.grammar.matcher import CompiledGrammar

_STEPS = 48
_SLOW_SECONDS = 0.05
_MAX_SLOW_STEPS = 2  # they may be the machine's doing
_MAX_SECONDS = 1.0


def try_out(compiled: CompiledGrammar) -> GrammarNotEnforced | None:
    """Walk at random; return why the grammar cannot be used, if it cannot."""
    random = np.random.default_rng(0)
    matcher = compiled.matcher()
    slow_steps, total = 0, 0.0
    for _ in range(_STEPS):
        if matcher.is_done:
            break
        octets = (matcher.mask & ~compiled.end_mask).view(np.uint8)[0]
        allowed = np.flatnonzero(np.unpackbits(octets, bitorder="little"))
        started = time.thread_time()
        matcher.accept(int(random.choice(allowed)))
        seconds = time.thread_time() - started
        total += seconds
        slow_steps += seconds > _SLOW_SECONDS
        if slow_steps > _MAX_SLOW_STEPS or total > _MAX_SECONDS:
            return GrammarNotEnforced(
                f"steps through the grammar take longer than {_SLOW_SECONDS * 1000:.0f} ms; "
                "give it fewer ways to read the same text"
            )
    return None
