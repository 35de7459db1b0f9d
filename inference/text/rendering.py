"""Renders a conversation, trying other ways to write it where the template refuses one."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inference.errors import InvalidRequest
from inference.request import ChatPrompt
from inference.text.call_fallbacks import calls_as_text, shorten_call_ids, text_as_thoughts
from inference.text.fallbacks import CHANGES, Conversation, as_it_is
from inference.text.outline import Outline, outline_of
from inference.text.template_messages import template_messages, with_arguments_as_text
from inference.text.tokenizer import Tokenizer

TemplateMessages = list[dict[str, Any]]
Render = Callable[[TemplateMessages], str]


@dataclass(frozen=True, slots=True)
class Rendering:
    """What the template wrote, and the messages from which it wrote it."""

    text: str
    messages: Sequence[Mapping[str, Any]]


def render_chat(
    tokenizer: Tokenizer, prompt: ChatPrompt, *, add_generation_prompt: bool = True
) -> Rendering:
    """Render in the first way that the template takes and that loses nothing of importance.

    If every way loses something, the template is taken at its word: the first one counts.
    Raises InvalidRequest with what the template said of the conversation as it is.
    """

    def render(messages: TemplateMessages) -> str:
        return tokenizer.render(
            messages,
            prompt.template_options,
            tools=prompt.tools,
            add_generation_prompt=add_generation_prompt,
        )

    outline = outline_of(prompt.messages)
    incomplete: Rendering | None = None
    refusal: Exception | None = None
    tried: list[TemplateMessages] = []
    for way in _WAYS:
        shape = way(outline.messages)
        if shape in tried:
            continue
        tried.append(shape)
        try:
            messages = way(prompt.messages)
            rendering = Rendering(replace_lone_surrogates(render(messages)), messages)
        # RecursionError: arguments of a call are nested deeper than Python follows.
        except (ValueError, RecursionError) as error:
            refusal = refusal or error
            continue
        if _shows(render, shape, outline):
            return rendering
        incomplete = incomplete or rendering
    if incomplete is None:
        raise InvalidRequest(f"prompt build failed: {refusal}", "messages") from refusal
    return incomplete


def replace_lone_surrogates(text: str) -> str:
    """Replace what JSON can spell and no tokenizer can encode by U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _shows(render: Render, shape: TemplateMessages, outline: Outline) -> bool:
    """Tell whether the template passes over nothing of importance."""
    if not outline.words:
        return True
    try:
        return outline.is_shown_in(render(shape))
    except ValueError:
        return False


def _way(
    calls: Callable[[Conversation], Conversation],
    change: Callable[[Conversation], Conversation],
    write: Callable[[Conversation], TemplateMessages],
) -> Callable[[Conversation], TemplateMessages]:
    return lambda messages: write(change(calls(messages)))


def _arguments_as_text(messages: Conversation) -> TemplateMessages:
    return with_arguments_as_text(template_messages(messages))


# Plainest first; ways that only differ in calls are skipped in conversations without.
_WAYS = [
    _way(calls, change, write)
    for calls, write in (
        (as_it_is, template_messages),
        (text_as_thoughts, template_messages),
        (shorten_call_ids, template_messages),
        (as_it_is, _arguments_as_text),
        (calls_as_text, template_messages),
    )
    for change in CHANGES
]
