"""Renders a conversation, trying other ways to write it where the template refuses one."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inference.errors import InvalidRequest
from inference.messages import Message, Role
from inference.request import ChatPrompt
from inference.text.fallbacks import alternatives, shorten_call_ids
from inference.text.template_messages import template_messages, with_arguments_as_text
from inference.text.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Rendering:
    """What the template wrote, and the messages from which it wrote it."""

    text: str
    messages: Sequence[Mapping[str, Any]]


def render_chat(
    tokenizer: Tokenizer, prompt: ChatPrompt, *, add_generation_prompt: bool = True
) -> Rendering:
    """Render with the first way that the template takes and that shows every system message.

    Raises InvalidRequest with what the template said of the conversation as it is.
    """
    refusals: list[ValueError] = []
    for ways in _ways(prompt.messages):
        incomplete: Rendering | None = None
        for rendering in _renderings(tokenizer, prompt, ways, add_generation_prompt, refusals):
            if _shows_systems(rendering.text, prompt.messages):
                return rendering
            incomplete = incomplete or rendering
        if incomplete is not None:
            return incomplete
    raise InvalidRequest(f"prompt build failed: {refusals[0]}", "messages") from refusals[0]


def replace_lone_surrogates(text: str) -> str:
    """Replace what JSON can spell and no tokenizer can encode by U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _ways(conversation: tuple[Message, ...]) -> Iterator[Iterator[list[dict[str, Any]]]]:
    """Yield groups of ways to write a conversation, the plainest first."""
    yield map(template_messages, alternatives(conversation))
    if any(message.tool_calls for message in conversation):
        yield map(template_messages, alternatives(shorten_call_ids(conversation)))
        yield map(with_arguments_as_text, map(template_messages, alternatives(conversation)))


def _renderings(
    tokenizer: Tokenizer,
    prompt: ChatPrompt,
    ways: Iterable[list[dict[str, Any]]],
    add_generation_prompt: bool,
    refusals: list[ValueError],
) -> Iterator[Rendering]:
    """Yield what the template makes of each way; what it refuses goes to `refusals`."""
    for messages in ways:
        try:
            text = tokenizer.render(
                messages,
                prompt.template_options,
                tools=prompt.tools,
                add_generation_prompt=add_generation_prompt,
            )
        except ValueError as error:
            refusals.append(error)
        else:
            yield Rendering(replace_lone_surrogates(text), messages)


def _shows_systems(text: str, conversation: tuple[Message, ...]) -> bool:
    """Tell whether no system message is lost: templates pass over what they do not expect."""
    return all(
        message.text.strip() in text for message in conversation if message.role is Role.SYSTEM
    )
