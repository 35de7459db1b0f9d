"""The embeddings route's fields, one by one."""

import pytest

from inference.api.openai.embeddings_schema import MAX_INPUTS, EmbeddingsBody, Encoding
from inference.embedding import EmbeddingRequest
from inference.errors import InvalidRequest


def read(**fields):
    return EmbeddingsBody.from_json({"input": "hello", **fields})


def test_one_text_and_several_are_read_alike():
    assert read().request == EmbeddingRequest(("hello",))
    assert read(input=["a", "b"]).request.texts == ("a", "b")


def test_every_field_arrives():
    body = read(instruction="Find", dimensions=64, encoding_format="base64", model="any", user="u")

    assert body.request == EmbeddingRequest(("hello",), "Find", 64)
    assert body.encoding is Encoding.BASE64


@pytest.mark.parametrize("fields", [{}, {"encoding_format": None}, {"encoding_format": "float"}])
def test_numbers_are_the_default_encoding(fields):
    assert read(**fields).encoding is Encoding.FLOAT


@pytest.mark.parametrize("value", [None, ""])
def test_no_instruction_is_none(value):
    assert read(instruction=value).request.instruction is None


@pytest.mark.parametrize(
    ("fields", "param", "says"),
    [
        ({"input": None}, "input", "required"),
        ({"input": ""}, "input", "empty"),
        ({"input": []}, "input", "empty"),
        ({"input": {"text": "a"}}, "input", "a string or a list of strings"),
        ({"input": 5}, "input", "a string or a list of strings"),
        ({"input": [1, 2, 3]}, "input", r"input\[0\].*token ids are not taken"),
        ({"input": [[1, 2], [3]]}, "input", r"input\[0\].*token ids are not taken"),
        ({"input": ["a", 5]}, "input", r"input\[1\] must be a string"),
        ({"input": ["a", None]}, "input", r"input\[1\] must be a string"),
        ({"input": ["a", ""]}, "input", r"input\[1\] is an empty string"),
        ({"input": ["a"] * (MAX_INPUTS + 1)}, "input", "2049 strings, the limit is 2048"),
        ({"instruction": 5}, "instruction", "string"),
        ({"dimensions": 0}, "dimensions", "at least 1"),
        ({"dimensions": "all"}, "dimensions", "int"),
        ({"encoding_format": "int8"}, "encoding_format", "'float' or 'base64'"),
        ({"encoding_format": ["float"]}, "encoding_format", "'float' or 'base64'"),
    ],
)
def test_what_is_no_request_is_refused_by_name(fields, param, says):
    with pytest.raises(InvalidRequest, match=says) as caught:
        read(**fields)

    assert caught.value.param == param


def test_the_largest_list_is_taken():
    assert len(read(input=["a"] * MAX_INPUTS).request.texts) == MAX_INPUTS
