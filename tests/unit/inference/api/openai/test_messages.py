"""OpenAI's messages to ours."""

import pytest

from inference.api.openai.messages import to_messages
from inference.errors import InvalidRequest
from inference.messages import Role


def message_of(**message):
    [translated] = to_messages([{"role": "user", **message}])
    return translated


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ("system", Role.SYSTEM),
        ("developer", Role.SYSTEM),
        ("user", Role.USER),
        ("assistant", Role.ASSISTANT),
        ("tool", Role.TOOL),
    ],
)
def test_the_roles_are_ours_and_developer_is_system(role, expected):
    assert message_of(role=role, content="x").role is expected


@pytest.mark.parametrize("role", [None, "", "User", "root", 1, ["user"], {}])
def test_an_unknown_role_is_told_the_known_ones(role):
    with pytest.raises(InvalidRequest) as raised:
        to_messages([{"role": "user", "content": "a"}, {"role": role, "content": "b"}])

    assert raised.value.message == (
        f"messages[1].role is {role!r}, expected one of "
        "'system', 'user', 'assistant', 'tool', 'developer'"
    )
    assert raised.value.param == "messages"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("hi", "hi"),
        ("", ""),
        (None, ""),
        ([], ""),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab"),
        ([{"type": "input_text", "text": "a"}, {"type": "output_text", "text": "b"}], "ab"),
        (["a", "b"], "ab"),
    ],
)
def test_content_is_text_parts_or_nothing(content, expected):
    assert message_of(content=content).text == expected


def test_a_message_without_content_is_empty():
    assert message_of().text == ""


@pytest.mark.parametrize("content", [1, True, {"type": "text", "text": "a"}])
def test_content_of_another_type_is_refused(content):
    with pytest.raises(InvalidRequest, match=r"messages\[0\].content must be a string or a list"):
        message_of(content=content)


@pytest.mark.parametrize(
    ("part", "kind"),
    [
        ({"type": "image_url", "image_url": {"url": "data:,"}}, "'image_url'"),
        ({"type": "text"}, "'text'"),
        ({"type": "text", "text": None}, "'text'"),
        ({"type": "text", "text": 1}, "'text'"),
        ({"type": ["text"], "text": "a"}, r"\['text'\]"),
        ({"type": {}, "text": "a"}, "{}"),
        ({"text": "a"}, "None"),
        (1, "None"),
        (None, "None"),
    ],
)
def test_a_part_that_is_no_text_is_never_dropped_in_silence(part, kind):
    with pytest.raises(InvalidRequest, match=rf"has a part of type {kind}; this model takes"):
        message_of(content=["before", part])


def test_the_fields_that_templates_read_pass_where_they_are_text():
    message = message_of(
        content="x", name="ann", tool_call_id="t1", reasoning_content="", audio="no"
    )

    assert message.extra == {"name": "ann", "tool_call_id": "t1", "reasoning_content": ""}
    assert message_of(content="x", name=1, tool_call_id=None).extra == {}
