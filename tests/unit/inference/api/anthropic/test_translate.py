"""From a checked body to our request."""

from inference.api.anthropic.schema import MessagesBody, PromptFields
from inference.api.anthropic.translate import to_chat_prompt, to_generation_request
from inference.constraint import JsonSchema
from inference.messages import Message, Role
from inference.request import (
    CallPolicy,
    ChatPrompt,
    GenerationRequest,
    SamplingChoice,
    ToolChoice,
)

BODY = {
    "system": "Be kind.",
    "messages": [{"role": "user", "content": "hi"}],
    "tools": [{"name": "w", "input_schema": {"type": "object"}}],
    "tool_choice": {"type": "any"},
    "thinking": {"type": "disabled"},
    "output_config": {
        "effort": "low",
        "format": {"type": "json_schema", "schema": {"type": "array"}},
    },
    "max_tokens": 9,
    "stop_sequences": ["STOP"],
    "temperature": 0,
    "adapter": "a+b",
}
FUNCTION = {"type": "function", "function": {"name": "w", "parameters": {"type": "object"}}}
PROMPT = ChatPrompt(
    (Message(Role.SYSTEM, "Be kind."), Message(Role.USER, "hi")),
    (FUNCTION,),
    tool_choice=ToolChoice(CallPolicy.REQUIRED),
    thinking=False,
    effort="low",
)


def test_a_request_says_everything_that_the_body_said():
    assert to_generation_request(MessagesBody.from_json(BODY), "abc") == GenerationRequest(
        id="abc",
        prompt=PROMPT,
        sampling=SamplingChoice(temperature=0.0),
        max_tokens=9,
        stop=("STOP",),
        constraint=JsonSchema({"type": "array"}),
        adapter=("a", "b"),
    )


def test_a_count_is_of_the_same_prompt():
    assert to_chat_prompt(PromptFields.from_json(BODY)) == PROMPT
