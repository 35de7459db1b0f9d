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
        {"adapter": None},
    ],
)
def test_what_asks_for_nothing_passes(body):
    refuse_unsupported(body)
