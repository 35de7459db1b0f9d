"""What cannot be done yet is refused where silence would promise it."""

import pytest

from inference.api.openai.unsupported import refuse_unsupported
from inference.errors import InvalidRequest


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("adapter", "my-lora"),
        ("adapter", "a+b"),
        ("adapter", 1),
        ("hlg", {"enabled": True}),
        ("hlg", {"enabled": "no"}),
        ("hlg", True),
        ("response_format", {"type": "json_object"}),
        ("response_format", {"type": "json_schema", "json_schema": {"name": "x", "schema": {}}}),
        ("response_format", {}),
        ("response_format", "json"),
        ("guided_grammar", "root ::= 'a'"),
        ("guided_regex", "a*"),
        ("guided_choice", ["a", "b"]),
        ("structured_outputs", {"type": "object"}),
    ],
)
def test_what_cannot_be_done_is_refused_by_its_name(name, value):
    with pytest.raises(InvalidRequest) as raised:
        refuse_unsupported({name: value})

    assert raised.value.message == f"{name} is not supported by this server; leave it out"
    assert raised.value.param == name


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"adapter": "none"},
        {"adapter": ""},
        {"hlg": {"enabled": False, "width": 4}},
        {"hlg": {}},
        {"response_format": {"type": "text"}},
        {"guided_choice": None, "adapter": None, "hlg": None, "response_format": None},
    ],
)
def test_what_asks_for_nothing_passes(body):
    refuse_unsupported(body)
