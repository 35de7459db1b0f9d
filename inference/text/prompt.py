"""A prompt as the caller wrote it, to token ids."""

from dataclasses import dataclass
from typing import Any

from inference.errors import InvalidRequest
from inference.messages import Message
from inference.request import ChatPrompt, TextPrompt
from inference.text.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class TokenizedPrompt:
    """A prompt as the engine takes it.

    token_ids: at least one.
    stable_length: how many of them the next turn of the conversation begins with as well.
    """

    token_ids: list[int]
    stable_length: int


def build_prompt(tokenizer: Tokenizer, prompt: ChatPrompt | TextPrompt) -> TokenizedPrompt:
    """Render and tokenise a prompt.

    Slow for long prompts: call it off the event loop.
    Raises InvalidRequest when the template refuses the conversation or nothing is left.
    """
    match prompt:
        case ChatPrompt():
            messages = [_template_message(message) for message in prompt.messages]
            try:
                text = tokenizer.render(messages, prompt.template_options)
            except ValueError as error:
                raise InvalidRequest(f"prompt build failed: {error}", "messages") from error
            # The template writes the special tokens itself.
            tokens = tokenizer.encode(_valid_unicode(text), add_special_tokens=False)
        case TextPrompt():
            tokens = tokenizer.encode(_valid_unicode(prompt.text), add_special_tokens=True)
    if not tokens:
        raise InvalidRequest("prompt build failed: the prompt has no tokens; send some text")
    return TokenizedPrompt(tokens, len(tokens))


def _template_message(message: Message) -> dict[str, Any]:
    return {**message.extra, "role": message.role.value, "content": message.text}


def _valid_unicode(text: str) -> str:
    """Replace lone surrogates, which JSON can spell and no tokenizer can encode."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
