"""Content on the way in."""

import pytest

from inference.api.responses.content import Content, to_content
from inference.errors import InvalidRequest
from inference.messages import MediaKind


@pytest.mark.parametrize(("value", "text"), [("hi", "hi"), ("", ""), (None, ""), ([], "")])
def test_a_string_stands_as_it_is_and_null_is_empty(value, text):
    assert to_content(value, "x") == Content(text)


def test_the_texts_of_parts_are_joined():
    parts = [
        {"type": "input_text", "text": "a"},
        {"type": "output_text", "text": "b", "annotations": []},
        {"type": "refusal", "refusal": "c"},
        {"type": "text", "text": "d"},
    ]

    assert to_content(parts, "x") == Content("abcd")


def test_other_media_keep_their_order():
    parts = [
        {"type": "input_audio", "input_audio": {}},
        {"type": "input_text", "text": "what is this?"},
        {"type": "input_image", "image_url": "data:image/png;base64,AA"},
    ]

    assert to_content(parts, "x").media == (MediaKind.AUDIO, MediaKind.IMAGE)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (5, "input[0].content must be a string or a list of parts"),
        ({}, "input[0].content must be a string or a list of parts"),
        (["hi"], "input[0].content[0] must be an object with a type"),
        ([{"text": "hi"}], "input[0].content[0].type is None, expected one of 'input_text'"),
        ([{"type": ["x"]}], "input[0].content[0].type is ['x']"),
        ([{"type": "input_text"}], "input[0].content[0].text must be a string"),
        ([{"type": "refusal", "text": "no"}], "input[0].content[0].refusal must be a string"),
        (
            [{"type": "input_file", "file_id": "f"}],
            "input[0].content[0] is a file, which this server cannot read; send its text",
        ),
    ],
)
def test_what_cannot_be_read_is_named(value, message):
    with pytest.raises(InvalidRequest) as raised:
        to_content(value, "input[0].content")

    assert message in raised.value.message
    assert raised.value.param == "input"
