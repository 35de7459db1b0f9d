"""OpenAI's chat request to ours."""

from inference.api.openai.schemas import ChatCompletionBody
from inference.api.openai.translate import to_generation_request
from inference.messages import Message, Role
from inference.request import ChatPrompt, GenerationRequest, SamplingChoice


def translate(*messages, **fields):
    body = ChatCompletionBody.from_json({"messages": list(messages), **fields})
    return to_generation_request(body, "id")


def test_every_field_finds_its_place():
    request = translate(
        {"role": "user", "content": "hi"},
        max_tokens=5,
        temperature=0.5,
        top_p=0.9,
        top_k=3,
        seed=1,
        stop="x",
        chat_template_kwargs={"enable_thinking": False},
    )

    assert request == GenerationRequest(
        id="id",
        prompt=ChatPrompt((Message(Role.USER, "hi"),), template_options={"enable_thinking": False}),
        sampling=SamplingChoice(temperature=0.5, top_p=0.9, top_k=3, seed=1),
        max_tokens=5,
        stop=("x",),
    )
