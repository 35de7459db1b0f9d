"""Anthropic's requests to ours: the last file on the way in that knows its words."""

from inference.api.anthropic.messages import to_messages
from inference.api.anthropic.schema import MessagesBody, PromptFields
from inference.request import ChatPrompt, GenerationRequest


def to_generation_request(body: MessagesBody, request_id: str) -> GenerationRequest:
    """Translate a checked body; raises InvalidRequest for messages that mean nothing."""
    return GenerationRequest(
        id=request_id,
        prompt=to_chat_prompt(body.prompt),
        sampling=body.sampling,
        max_tokens=body.max_tokens,
        stop=body.stop,
        constraint=body.constraint,
        adapter=body.adapter,
    )


def to_chat_prompt(fields: PromptFields) -> ChatPrompt:
    """Translate what becomes the prompt, for an answer and for a token count alike."""
    return ChatPrompt(
        to_messages(fields.system, fields.messages),
        fields.tools,
        tool_choice=fields.tool_choice,
        thinking=fields.thinking,
        effort=fields.effort,
    )
