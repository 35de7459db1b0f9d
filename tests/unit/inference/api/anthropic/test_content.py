"""Blocks of content: which are taken where, and what is said of the others."""

import pytest

from inference.api.anthropic.content import media_of, text_of, to_blocks
from inference.errors import InvalidRequest
from inference.messages import MediaKind

KINDS = ("text", "image")


def image(**source):
    return {"type": "image", "source": source}


def refusal(content):
    with pytest.raises(InvalidRequest) as raised:
        text_of(blocks := to_blocks(content, "messages[0].content", KINDS))
        media_of(blocks)
    return raised.value.message


def test_a_string_is_a_block_of_text():
    assert text_of(to_blocks("hi", "x", KINDS)) == "hi"


@pytest.mark.parametrize("content", [None, []])
def test_nothing_is_no_blocks(content):
    assert to_blocks(content, "x", KINDS) == []


def test_texts_are_joined_as_they_stand():
    blocks = to_blocks(
        [{"type": "text", "text": "al"}, {"type": "text", "text": "pha"}], "x", KINDS
    )

    assert text_of(blocks) == "alpha"


@pytest.mark.parametrize(
    "source",
    [
        {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="},
        {"type": "url", "url": "https://example.com/a.png"},
    ],
)
def test_an_image_is_a_medium_and_no_text(source):
    blocks = to_blocks([image(**source), {"type": "text", "text": "a"}], "x", KINDS)

    assert (text_of(blocks), media_of(blocks)) == ("a", (MediaKind.IMAGE,))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (7, "messages[0].content must be a string or a list of blocks"),
        ({"type": "text"}, "messages[0].content must be a string or a list of blocks"),
        (["hi"], "messages[0].content[0] must be an object with a type"),
        ([{"type": "text"}], "messages[0].content[0].text must be a string"),
        ([{"type": "text", "text": 7}], "messages[0].content[0].text must be a string"),
        (
            [{"type": "text", "text": ""}, {"type": "document", "source": {}}],
            "messages[0].content[1].type is 'document', expected one of 'text', 'image'",
        ),
        ([{}], "messages[0].content[0].type is None, expected one of 'text', 'image'"),
        (
            [{"type": ["text"]}],
            "messages[0].content[0].type is ['text'], expected one of 'text', 'image'",
        ),
        ([{"type": "image"}], "messages[0].content[0].source must be an object"),
        (
            [image(type="file", file_id="f")],
            "messages[0].content[0].source.type is 'file', expected 'base64' or 'url'",
        ),
        (
            [image(type={})],
            "messages[0].content[0].source.type is {}, expected 'base64' or 'url'",
        ),
        ([image(type="base64")], "messages[0].content[0].source.data must be a string"),
        ([image(type="url", url=7)], "messages[0].content[0].source.url must be a string"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(content, message):
    assert refusal(content) == message


@pytest.mark.parametrize("kind", ["input_audio", "audio", "audio_url"])
def test_audio_is_sent_to_the_route_that_knows_it(kind):
    message = refusal([{"type": kind, "data": "AAAA"}])

    assert kind in message
    assert "/v1/chat/completions" in message
