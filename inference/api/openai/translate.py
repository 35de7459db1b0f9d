"""OpenAI's chat request to ours: the last file on the way in that knows its words."""

from collections.abc import Mapping
from typing import Any

from inference.api.openai.schemas import ChatCompletionBody
from inference.errors import InvalidRequest
from inference.messages import Message, Role
from inference.request import ChatPrompt, GenerationRequest, SamplingChoice

# `developer` is the newer name of `system`; no chat template knows it.
_ROLES = {role.value: role for role in Role} | {"developer": Role.SYSTEM}
_TEXT_PARTS = ("text", "input_text", "output_text")
# Fields of a message that chat templates read as they stand.
_PASSED_ON = ("name", "tool_call_id", "reasoning_content")


def to_generation_request(body: ChatCompletionBody, request_id: str) -> GenerationRequest:
    """Translate a checked body; raises InvalidRequest for messages that mean nothing."""
    return GenerationRequest(
        id=request_id,
        prompt=ChatPrompt(
            tuple(_message(message, index) for index, message in enumerate(body.messages)),
            template_options=body.chat_template_kwargs,
        ),
        sampling=SamplingChoice(
            temperature=body.temperature, top_p=body.top_p, top_k=body.top_k, seed=body.seed
        ),
        max_tokens=body.max_tokens,
        stop=body.stop,
    )


def _message(message: Mapping[str, Any], index: int) -> Message:
    where = f"messages[{index}]"
    role = message.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        known = ", ".join(f"'{name}'" for name in _ROLES)
        raise InvalidRequest(f"{where}.role is {role!r}, expected one of {known}", "messages")
    extra = {name: message[name] for name in _PASSED_ON if isinstance(message.get(name), str)}
    return Message(_ROLES[role], _text(message.get("content"), where), extra=extra)


def _text(content: object, where: str) -> str:
    """Join the text of a content field; null, as tool calls bring it, is empty."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        raise InvalidRequest(f"{where}.content must be a string or a list of parts", "messages")
    return "".join(_part(part, where) for part in content)


def _part(part: object, where: str) -> str:
    if isinstance(part, str):
        return part
    kind = part.get("type") if isinstance(part, dict) else None
    if isinstance(part, dict) and kind in _TEXT_PARTS and isinstance(part.get("text"), str):
        return str(part["text"])
    raise InvalidRequest(
        f"{where}.content has a part of type {kind!r}; this model takes 'text' only", "messages"
    )
