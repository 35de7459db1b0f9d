"""Compiles grammars for one tokenizer, off the engine thread, and keeps what it compiled.

Nothing here raises for a caller's grammar: what cannot be compiled, or not in time, comes
back as `GrammarNotEnforced`, and the answer is given without.
"""

import hashlib
import logging
import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from inference.constraint import GrammarNotEnforced
from inference.engine.grammar.bindings import Bindings, load_bindings
from inference.engine.grammar.matcher import CompiledGrammar, Mask, num_words
from inference.engine.grammar.trial import try_out

logger = logging.getLogger(__name__)

Outcome = CompiledGrammar | GrammarNotEnforced

_SOURCE_PLACE = re.compile(r"\[[\d:]+\] \S+?:\d+: ")


@dataclass(frozen=True, slots=True)
class CompilerLimits:
    """What compiling may cost.

    seconds: how long a caller waits for a grammar.
    running: grammars compiled at the same time; a native compilation cannot be stopped.
    waiting: grammars under way, the running ones included.
    Both are counted for callers' grammars and for ours apart, so that a grammar from outside
    that takes for ever delays its like at most.
    cache_bytes: memory of the grammars that are kept.
    """

    seconds: float = 10.0
    running: int = 2
    waiting: int = 16
    cache_bytes: int = 256 * 1024**2


@dataclass(frozen=True, slots=True)
class _Lane:
    """Grammars of one origin that are being compiled."""

    running: threading.BoundedSemaphore
    pending: dict[bytes, Future[Outcome]] = field(default_factory=dict)


class GrammarCompiler:
    """One for each loaded model. Thread: any; callers wait on their own.

    token_bytes: bytes of each token id; special tokens have none, and no grammar allows them.
    stop_token_ids: tokens that end an answer.
    vocab_size: width of the logits; ids beyond the tokenizer's are never allowed.
    strips_leading_space: the first space of an answer is not shown, so one is let through.
    disabled: why no grammar is compiled at all, if so.
    """

    def __init__(
        self,
        token_bytes: Sequence[bytes],
        stop_token_ids: frozenset[int],
        vocab_size: int,
        *,
        strips_leading_space: bool = False,
        disabled: str | None = None,
        limits: CompilerLimits = CompilerLimits(),
    ) -> None:
        self._token_bytes = token_bytes
        self._stop_token_ids = sorted(id for id in stop_token_ids if id < vocab_size)
        self._vocab_size = vocab_size
        self._strips_leading_space = strips_leading_space
        self._disabled = disabled
        self._limits = limits
        self._lock = threading.Lock()
        self._lanes = {
            is_callers: _Lane(threading.BoundedSemaphore(limits.running))
            for is_callers in (False, True)
        }
        self._kept: OrderedDict[bytes, Outcome] = OrderedDict()

    def compile(self, ebnf: str, *, is_callers: bool = False) -> Outcome:
        """Return the compiled grammar, waiting for it as long as the limits say.

        is_callers: a grammar from outside is tried out, and every mask of it is computed
            now; those of our own are computed when a sequence first gets there.
        """
        if self._disabled is not None:
            return GrammarNotEnforced(self._disabled)
        key = hashlib.sha256(f"{is_callers}{ebnf}".encode(errors="surrogatepass")).digest()
        lane = self._lanes[is_callers]
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            future = lane.pending.get(key)
            if future is None:
                if len(lane.pending) >= self._limits.waiting:
                    return GrammarNotEnforced(
                        f"{len(lane.pending)} other grammars are being compiled; try again later"
                    )
                future = lane.pending[key] = Future()
                # A daemon: a compilation that never ends must not keep the process from ending.
                threading.Thread(
                    target=self._work,
                    args=(key, ebnf, is_callers, future),
                    name="grammar",
                    daemon=True,
                ).start()
        try:
            return future.result(self._limits.seconds)
        except TimeoutError:
            return GrammarNotEnforced(
                f"compiling takes more than {self._limits.seconds:g} s; make the grammar smaller"
            )

    def _work(self, key: bytes, ebnf: str, is_callers: bool, future: Future[Outcome]) -> None:
        """Compile on a thread of its own; whoever waits is told, however it ends."""
        lane = self._lanes[is_callers]
        outcome: Outcome
        try:
            with lane.running:
                outcome = self._compile(ebnf, is_callers)
        except Exception:
            logger.exception("a grammar could not be compiled")
            outcome = GrammarNotEnforced("the compiler failed")
        with self._lock:
            del lane.pending[key]
            self._keep(key, outcome)
        future.set_result(outcome)

    def _compile(self, ebnf: str, is_callers: bool) -> Outcome:
        bindings = self._bindings
        if isinstance(bindings, GrammarNotEnforced):
            return bindings
        try:
            grammar = bindings.Grammar.from_ebnf(ebnf)
            if self._strips_leading_space:
                space = bindings.Grammar.from_ebnf('root ::= " "?')
                grammar = bindings.Grammar.concat(space, grammar)
            compiler = bindings.Compiler(
                self._tokenizer_info,
                max_threads=1,
                cache_enabled=False,
                enable_dynamic_compilation=not is_callers,
            )
            native = compiler.compile_grammar(grammar)
        except (RuntimeError, ValueError) as error:
            return GrammarNotEnforced(_sentence(error))
        compiled = CompiledGrammar(native, bindings.Matcher, self._end_mask)
        if compiled.matcher().is_stuck:
            return GrammarNotEnforced("no text in this model's tokens satisfies the grammar")
        return (try_out(compiled) if is_callers else None) or compiled

    def _keep(self, key: bytes, outcome: Outcome) -> None:
        """Store an outcome; the least recently used ones go when memory is short."""
        self._kept[key] = outcome
        total = sum(_nbytes(one) for one in self._kept.values())
        while total > self._limits.cache_bytes and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            total -= _nbytes(dropped)

    @cached_property
    def _bindings(self) -> Bindings | GrammarNotEnforced:
        return load_bindings()

    @cached_property
    def _tokenizer_info(self) -> Any:
        assert isinstance(self._bindings, Bindings)
        return self._bindings.TokenizerInfo(
            list(self._token_bytes[: self._vocab_size]),
            self._bindings.VocabType.RAW,
            vocab_size=self._vocab_size,
            stop_token_ids=self._stop_token_ids,
        )

    @cached_property
    def _end_mask(self) -> Mask:
        bits = np.zeros(32 * num_words(self._vocab_size), dtype=np.uint8)
        bits[self._stop_token_ids] = 1
        bits[self._vocab_size :] = 1
        return np.packbits(bits, bitorder="little").view(np.int32)[None, :]


def _nbytes(outcome: Outcome) -> int:
    # An outcome without a grammar is small, but not nothing: it must not gather for ever.
    return outcome.nbytes if isinstance(outcome, CompiledGrammar) else 4096


def _sentence(error: Exception) -> str:
    """Return the compiler's sentence without the place in its own source."""
    lines = [line for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    return _SOURCE_PLACE.sub("", lines[-1]).strip()
