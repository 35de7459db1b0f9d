"""A text completion's own field: the prompt."""

import pytest

from inference.api.openai.completion_schema import TextCompletionBody
from inference.api.openai.fields import GenerationFields
from inference.errors import InvalidRequest

NO_STRING = "prompt must be a string; lists and tokens are not taken"


def test_a_prompt_is_text_as_it_stands():
    body = TextCompletionBody.from_json({"prompt": " a\n", "temperature": 0, "stop": "x"})

    assert body == TextCompletionBody(
        " a\n", GenerationFields.from_json({"temperature": 0, "stop": "x"})
    )


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        (None, "prompt required"),
        ("", "prompt required"),
        ([], NO_STRING),
        (["a"], NO_STRING),
        ([1, 2], NO_STRING),
        ([[1, 2]], NO_STRING),
        (1, NO_STRING),
        (False, NO_STRING),
        ({}, NO_STRING),
    ],
)
def test_any_other_prompt_is_refused(prompt, message):
    with pytest.raises(InvalidRequest) as raised:
        TextCompletionBody.from_json({"prompt": prompt})

    assert (raised.value.message, raised.value.param) == (message, "prompt")


def test_a_missing_prompt_is_refused():
    with pytest.raises(InvalidRequest, match="prompt required"):
        TextCompletionBody.from_json({"messages": []})


def test_the_shared_fields_are_checked():
    with pytest.raises(InvalidRequest, match="logprobs must be of type bool"):
        TextCompletionBody.from_json({"prompt": "a", "logprobs": 5})
