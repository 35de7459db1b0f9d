"""Requests to ours: the last file on the way in that knows the protocol's words."""

from inference.api.responses.content import invalid
from inference.api.responses.conversation import Conversation
from inference.api.responses.messages import to_messages
from inference.api.responses.schema import ResponsesBody
from inference.api.responses.tool_choice import choose_tools
from inference.api.responses.tools import ToolBox
from inference.request import ChatPrompt, GenerationRequest


def to_generation_request(
    body: ResponsesBody, conversation: Conversation, box: ToolBox, request_id: str
) -> GenerationRequest:
    """Translate a checked body; raises InvalidRequest for items that mean nothing."""
    messages = to_messages(conversation.instructions, conversation.placed_items(), box)
    if not messages:
        raise invalid("input has no message; send one of the user's")
    tools, tool_choice = choose_tools(body.tool_choice, box)
    return GenerationRequest(
        id=request_id,
        prompt=ChatPrompt(
            messages,
            tools,
            body.template_options,
            tool_choice=tool_choice,
            thinking=body.thinking,
            effort=body.effort,
        ),
        sampling=body.sampling,
        max_tokens=body.max_tokens,
        constraint=body.constraint,
        adapter=body.adapter,
    )
