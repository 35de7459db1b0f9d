import pytest

from inference.api.adapter_choice import adapter_choice
from inference.errors import InvalidRequest


@pytest.mark.parametrize(
    ("body", "chosen"),
    [
        ({}, None),
        ({"adapter": None}, None),
        ({"adapter": "none"}, ()),
        ({"adapter": ""}, ()),
        ({"adapter": "a"}, ("a",)),
        ({"adapter": "b,a"}, ("b", "a")),
    ],
)
def test_silence_takes_the_default_and_none_the_weights_alone(body, chosen):
    assert adapter_choice(body) == chosen


@pytest.mark.parametrize("value", [1, True, ["a"], {"id": "a"}, "a+", "a+none", "a,a"])
def test_what_names_no_adapter_is_refused(value):
    with pytest.raises(InvalidRequest) as raised:
        adapter_choice({"adapter": value})

    assert raised.value.param == "adapter"
    assert raised.value.message.startswith("adapter ")
