"""Requests to ours."""

import pytest

from inference.api.responses.conversation import Conversation
from inference.api.responses.schema import ResponsesBody
from inference.api.responses.store import ResponseStore
from inference.api.responses.tools import ToolBox
from inference.api.responses.translate import to_generation_request
from inference.constraint import JsonSchema
from inference.errors import InvalidRequest
from inference.messages import Message, Role
from inference.request import CallPolicy, ChatPrompt, ToolChoice

LOOK = {"type": "function", "name": "look"}


def translated(**fields):
    body = ResponsesBody.from_json({"input": "hi", **fields})
    conversation = Conversation.of(body, ResponseStore())
    return to_generation_request(body, conversation, ToolBox(body.tools), "id")


def test_text_becomes_a_request_with_the_servers_defaults():
    request = translated()

    assert request.id == "id"
    assert request.prompt == ChatPrompt((Message(Role.USER, "hi"),))
    assert (request.max_tokens, request.constraint, request.stop) == (None, None, ())
    assert (request.logprobs, request.adapter) == (None, None)


def test_all_that_decides_the_answer_is_in_the_request():
    request = translated(
        instructions="be kind",
        max_output_tokens=3,
        temperature=0.5,
        tools=[LOOK],
        tool_choice="required",
        reasoning={"effort": "low"},
        text={"format": {"type": "json_schema", "name": "x", "schema": {"type": "object"}}},
        chat_template_kwargs={"preserve_thinking": True},
        adapter="a+b",
    )

    assert request.prompt.messages[0] == Message(Role.SYSTEM, "be kind")
    assert [tool["function"]["name"] for tool in request.prompt.tools] == ["look"]
    assert request.prompt.tool_choice == ToolChoice(CallPolicy.REQUIRED)
    assert (request.prompt.thinking, request.prompt.effort) == (True, "low")
    assert request.prompt.template_options == {"preserve_thinking": True}
    assert (request.max_tokens, request.sampling.temperature) == (3, 0.5)
    assert request.constraint == JsonSchema({"type": "object"})
    assert request.adapter == ("a", "b")


def test_an_input_without_a_message_is_refused():
    with pytest.raises(InvalidRequest, match="input has no message"):
        translated(input=[{"type": "reasoning", "summary": []}])
