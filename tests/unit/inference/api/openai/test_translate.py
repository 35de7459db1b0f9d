"""OpenAI's requests to ours."""

from inference.api.openai.chat_schema import ChatCompletionBody
from inference.api.openai.completion_schema import TextCompletionBody
from inference.api.openai.translate import to_generation_request
from inference.messages import Message, Role
from inference.request import (
    CallPolicy,
    ChatPrompt,
    GenerationRequest,
    SamplingChoice,
    TextPrompt,
    ToolChoice,
)

FIELDS = {
    "max_tokens": 5,
    "temperature": 0.5,
    "top_k": 3,
    "stop": "x",
    "top_logprobs": 2,
    "adapter": "a+b",
}
EXPECTED = {
    "id": "id",
    "sampling": SamplingChoice(temperature=0.5, top_k=3),
    "max_tokens": 5,
    "stop": ("x",),
    "logprobs": 2,
    "adapter": ("a", "b"),
}


def test_every_field_of_a_chat_finds_its_place():
    tool = {"type": "function", "function": {"name": "f"}}
    body = ChatCompletionBody.from_json(
        {
            **FIELDS,
            "messages": [{"role": "user", "content": "hi"}],
            "tools": [tool],
            "tool_choice": tool,
            "reasoning_effort": "low",
            "chat_template_kwargs": {"enable_thinking": False, "other": 1},
        }
    )

    assert to_generation_request(body, "id") == GenerationRequest(
        prompt=ChatPrompt(
            (Message(Role.USER, "hi"),),
            tools=(tool,),
            tool_choice=ToolChoice(CallPolicy.REQUIRED, "f"),
            thinking=False,
            effort="low",
            template_options={"other": 1},
        ),
        **EXPECTED,
    )


def test_every_field_of_a_text_completion_finds_its_place():
    body = TextCompletionBody.from_json({**FIELDS, "prompt": "Once"})

    assert to_generation_request(body, "id") == GenerationRequest(
        prompt=TextPrompt("Once"), **EXPECTED
    )
