"""What constraining an answer means, whoever enforces it."""

from dataclasses import replace
from typing import Protocol

from inference.constraint import AnyJson, Constraint, GrammarNotEnforced, JsonSchema
from inference.engine.sequence import TokenMatcher
from inference.messages import Message, Role
from inference.request import CallPolicy, ChatPrompt, GenerationRequest, TextPrompt
from inference.text.grammar.instruction import instruction
from inference.text.tools.call_schema import call_schema, schema_or_call


class Enforcement(Protocol):
    """A constraint that answers can be held to.

    shortfall: which part of it is not enforced, if any.
    """

    @property
    def shortfall(self) -> GrammarNotEnforced | None: ...

    def matcher(self, *, in_reasoning: bool) -> TokenMatcher:
        """Return a matcher at the start of an answer.

        in_reasoning: whether the answer begins within reasoning, which is free.
        """


class Constrainer(Protocol):
    """One for each model. Thread: any but the event loop's; compiling takes its time."""

    def compile(self, constraint: Constraint) -> Enforcement | GrammarNotEnforced:
        """Return how a constraint is enforced, or why it is not."""


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
