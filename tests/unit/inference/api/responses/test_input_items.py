"""The field `input`."""

import pytest

from inference.api.responses.input_items import additional_tools, item_type, to_items
from inference.errors import InvalidRequest


def test_text_is_one_message_of_the_users():
    assert to_items("hi") == ({"type": "message", "role": "user", "content": "hi"},)


def test_a_list_of_items_stands_as_it_is():
    items = [{"role": "user", "content": "hi"}, {"type": "from_the_future"}]

    assert to_items(items) == tuple(items)


@pytest.mark.parametrize("value", [None, "", []])
def test_nothing_is_refused(value):
    with pytest.raises(InvalidRequest, match="input required"):
        to_items(value)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (5, "input must be a string or a list of items"),
        ({"role": "user"}, "input must be a string or a list of items"),
        (["hi"], "input[0] must be an object with a type"),
        ([{"role": "user"}, {"type": 5}], "input[1] must be an object with a type"),
        ([{"content": "hi"}], "input[0] must have a type, a role or the id of an item"),
        ([{"type": "item_reference"}], "input[0] must have a type, a role or the id of an item"),
        (
            [{"type": "input_text", "text": "hi"}],
            "input[0] is a part; put it into the content of a message",
        ),
    ],
)
def test_what_is_no_item_is_named(value, message):
    with pytest.raises(InvalidRequest) as raised:
        to_items(value)

    assert message in raised.value.message
    assert raised.value.param == "input"


@pytest.mark.parametrize(
    ("item", "kind"),
    [
        ({"type": "message", "role": "user"}, "message"),
        ({"role": "user"}, "message"),
        ({"type": None, "role": "user"}, "message"),
        ({"id": "msg_1"}, "item_reference"),
        ({"type": "item_reference", "id": "msg_1"}, "item_reference"),
        ({"type": "function_call"}, "function_call"),
    ],
)
def test_an_item_without_a_type_is_a_message_or_a_reference(item, kind):
    assert item_type(item) == kind


def test_tools_can_come_among_the_items():
    items = [
        {"role": "user", "content": "hi"},
        {"type": "additional_tools", "role": "developer", "tools": [1, 2]},
        {"type": "additional_tools", "tools": [3]},
    ]

    assert additional_tools(items) == [1, 2, 3]


def test_tools_among_the_items_are_a_list():
    with pytest.raises(InvalidRequest, match="'additional_tools' must be a list"):
        additional_tools([{"type": "additional_tools", "tools": "x"}])
