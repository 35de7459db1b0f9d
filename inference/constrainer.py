"""Holds answers to grammars: the `Constrainer` of a model."""

from dataclasses import dataclass

from inference.constraint import Constraint, GrammarNotEnforced
from inference.engine.grammar.after_marker import AfterMarker
from inference.engine.grammar.compiler import GrammarCompiler
from inference.engine.grammar.matcher import CompiledGrammar
from inference.engine.sequence import TokenMatcher
from inference.text.grammar.source import write_grammar
from inference.text.reasoning import choose_reasoning
from inference.text.tokenizer import Tokenizer

DISABLED = "grammar compilation disabled by MLXSITE_GRAMMAR=0"


@dataclass(frozen=True, slots=True)
class GrammarEnforcement:
    """A compiled grammar, and what it takes to let reasoning pass before it."""

    grammar: CompiledGrammar
    shortfall: GrammarNotEnforced | None
    constrainer: "GrammarConstrainer"

    def matcher(self, *, in_reasoning: bool) -> TokenMatcher:
        if in_reasoning:
            return self.constrainer.behind_reasoning(self.grammar)
        return self.grammar.matcher()


class GrammarConstrainer:
    """Enforces constraints by grammars over one model's tokens.

    vocab_size: width of the logits. enabled: False enforces nothing, and says so.
    """

    def __init__(self, tokenizer: Tokenizer, vocab_size: int, *, enabled: bool = True) -> None:
        self._token_bytes = tokenizer.token_bytes
        special_tokens = frozenset(tokenizer.special_tokens.values())
        reasoning = choose_reasoning(tokenizer.chat_template, special_tokens)
        self._marker = reasoning.end if reasoning else ""
        bridge = reasoning.bridge if reasoning else ""
        self._bridge = tuple(tokenizer.encode(bridge, add_special_tokens=False)) if bridge else ()
        self._marker_tokens = frozenset(
            token_id
            for token_id, spelling in tokenizer.special_tokens.items()
            if spelling == self._marker
        )
        self._compiler = GrammarCompiler(
            tokenizer.token_bytes,
            tokenizer.stop_token_ids,
            vocab_size,
            strips_leading_space=tokenizer.strips_leading_space,
            disabled=None if enabled else DISABLED,
        )

    def compile(self, constraint: Constraint) -> GrammarEnforcement | GrammarNotEnforced:
        source = write_grammar(constraint)
        if isinstance(source, GrammarNotEnforced):
            return source
        compiled = self._compiler.compile(source.ebnf, is_callers=source.is_callers)
        if isinstance(compiled, GrammarNotEnforced):
            return compiled
        return GrammarEnforcement(compiled, source.shortfall, self)

    def behind_reasoning(self, grammar: CompiledGrammar) -> TokenMatcher:
        """Return a matcher that lets anything pass up to the end of reasoning."""
        return AfterMarker(
            grammar,
            marker=self._marker.encode(),
            marker_tokens=self._marker_tokens,
            bridge=self._bridge,
            token_bytes=self._token_bytes,
        )
