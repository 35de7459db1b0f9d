"""A prompt as the caller wrote it, to token ids."""

from dataclasses import dataclass, replace

from inference.errors import InvalidRequest
from inference.messages import Message, Role, ToolCall
from inference.request import ChatPrompt, TextPrompt
from inference.text.literals import cut_literals
from inference.text.rendering import Rendering, render_chat, replace_lone_surrogates
from inference.text.stable_prefix import stable_length
from inference.text.tokenizer import Tokenizer

# A word that begins unlike all that templates write.
_ANY = "\ue000"
_NEXT_QUESTION = (Message(Role.ASSISTANT, _ANY), Message(Role.USER, _ANY))
_NEXT_ROUND = (
    Message(Role.ASSISTANT, "", tool_calls=(ToolCall(_ANY, _ANY, {}),)),
    Message(Role.TOOL, _ANY, extra={"tool_call_id": _ANY}),
)


@dataclass(frozen=True, slots=True)
class TokenizedPrompt:
    """A prompt as the engine takes it.

    token_ids: at least one.
    stable_length: how many of them the next turn of the conversation begins with as well.
    """

    token_ids: list[int]
    stable_length: int


def build_prompt(
    tokenizer: Tokenizer, prompt: ChatPrompt | TextPrompt, *, find_stable: bool = True
) -> TokenizedPrompt:
    """Render and tokenise a prompt.

    find_stable: whether to render the next turn too, which gives the stable length of a
    conversation; without, it is the whole length.
    Slow for long prompts: call it off the event loop.
    Raises InvalidRequest when the template refuses the conversation or nothing is left.
    """
    match prompt:
        case ChatPrompt():
            tokens, stable = _build_chat(tokenizer, prompt, find_stable=find_stable)
        case TextPrompt():
            text = replace_lone_surrogates(prompt.text)
            tokens = tokenizer.encode(text, add_special_tokens=True)
            stable = len(tokens)
    if not tokens:
        raise InvalidRequest("prompt build failed: the prompt has no tokens; send some text")
    return TokenizedPrompt(tokens, stable)


def _build_chat(
    tokenizer: Tokenizer, prompt: ChatPrompt, *, find_stable: bool
) -> tuple[list[int], int]:
    rendering = render_chat(tokenizer, prompt)
    encoded = tokenizer.encode_pieces(_pieces(tokenizer, prompt, rendering))
    whole = len(encoded.token_ids)
    if not find_stable:
        return encoded.token_ids, whole
    try:
        next_turn = render_chat(tokenizer, _next_turn(prompt), add_generation_prompt=False)
    except InvalidRequest:
        return encoded.token_ids, whole
    return encoded.token_ids, stable_length(tokenizer, rendering.text, encoded, next_turn.text)


def _next_turn(prompt: ChatPrompt) -> ChatPrompt:
    """Return the prompt with an answer and what follows: a question, or a result after a result.

    Templates that strip thoughts do so at the next question, and not between rounds of tools.
    What is stable until then was found when the last question was asked.
    """
    is_round = any(last.role is Role.TOOL for last in prompt.messages[-1:])
    following = _NEXT_ROUND if is_round else _NEXT_QUESTION
    return replace(prompt, messages=prompt.messages + following)


def _pieces(tokenizer: Tokenizer, prompt: ChatPrompt, rendering: Rendering) -> list[str]:
    """Cut a rendering so that special tokens in the caller's words stay text."""
    return cut_literals(
        rendering.text,
        rendering.messages,
        prompt.tools,
        tokenizer.special_tokens.values(),
        lambda messages, tools: replace_lone_surrogates(
            tokenizer.render(messages, prompt.template_options, tools=tools)
        ),
    )
