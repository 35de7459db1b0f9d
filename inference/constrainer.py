"""Turns the constraint of a request into a matcher that the engine follows token by token."""

from dataclasses import dataclass, replace
from functools import cached_property

from inference.constraint import AnyJson, Constraint, GrammarNotEnforced, JsonSchema
from inference.engine.grammar.after_marker import AfterMarker
from inference.engine.grammar.compiler import GrammarCompiler
from inference.engine.grammar.matcher import CompiledGrammar
from inference.engine.sequence import TokenMatcher
from inference.messages import Message, Role
from inference.request import CallPolicy, ChatPrompt, GenerationRequest, TextPrompt
from inference.text.grammar.instruction import instruction
from inference.text.grammar.source import write_grammar
from inference.text.reasoning import ReasoningFormat
from inference.text.tokenizer import Tokenizer
from inference.text.tools.call_schema import call_schema, schema_or_call


@dataclass(frozen=True, slots=True)
class Enforced:
    """A grammar that an answer is held to.

    shortfall: which part of the constraint it leaves out, if any.
    """

    grammar: CompiledGrammar
    shortfall: GrammarNotEnforced | None


def effective_constraint(request: GenerationRequest) -> Constraint | None:
    """Return what the text must satisfy, the tools that must or may be called included."""
    prompt, constraint = request.prompt, request.constraint
    if isinstance(prompt, TextPrompt) or not prompt.tools:
        return constraint
    choice = prompt.tool_choice
    if choice.policy is CallPolicy.REQUIRED:
        tools = [tool for tool in prompt.tools if choice.name in (None, tool["function"]["name"])]
        return JsonSchema(call_schema(tools))
    match constraint:
        case JsonSchema(schema):
            return replace(constraint, schema=schema_or_call(schema, prompt.tools))
        case AnyJson():
            return JsonSchema(schema_or_call({"type": ["object", "array"]}, prompt.tools))
    return constraint


def instructed(prompt: ChatPrompt, constraint: Constraint) -> ChatPrompt:
    """Return the prompt with a system message that asks in words for what is not enforced."""
    text = instruction(constraint)
    first, *rest = prompt.messages
    if first.role is Role.SYSTEM:
        first = replace(first, text=f"{first.text}\n\n{text}" if first.text else text)
        return replace(prompt, messages=(first, *rest))
    return replace(prompt, messages=(Message(Role.SYSTEM, text), first, *rest))


class Constrainer:
    """One for each model. Thread: any but the event loop's; compiling takes its time.

    vocab_size: width of the logits. disabled: why nothing is enforced, if so.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        reasoning: ReasoningFormat | None,
        vocab_size: int,
        disabled: str | None = None,
    ) -> None:
        self._tokenizer = tokenizer
        self._reasoning = reasoning
        self._compiler = GrammarCompiler(
            tokenizer.token_bytes,
            tokenizer.stop_token_ids,
            vocab_size,
            strips_leading_space=tokenizer.strips_leading_space,
            disabled=disabled,
        )

    def compile(self, constraint: Constraint) -> Enforced | GrammarNotEnforced:
        """Return the grammar of a constraint, or why there is none."""
        source = write_grammar(constraint)
        if isinstance(source, GrammarNotEnforced):
            return source
        compiled = self._compiler.compile(source.ebnf, is_callers=source.is_callers)
        if isinstance(compiled, GrammarNotEnforced):
            return compiled
        return Enforced(compiled, source.shortfall)

    def matcher(self, grammar: CompiledGrammar, *, in_reasoning: bool) -> TokenMatcher:
        """Return a matcher at the start of an answer.

        in_reasoning: whether the answer begins within reasoning, which is free.
        """
        if not in_reasoning or self._reasoning is None:
            return grammar.matcher()
        return AfterMarker(
            grammar,
            marker=self._reasoning.end.encode(),
            marker_tokens=self._marker_tokens,
            token_bytes=self._tokenizer.token_bytes,
        )

    @cached_property
    def _marker_tokens(self) -> frozenset[int]:
        special = self._tokenizer.special_tokens.items()
        end = self._reasoning.end if self._reasoning else None
        return frozenset(token_id for token_id, spelling in special if spelling == end)
