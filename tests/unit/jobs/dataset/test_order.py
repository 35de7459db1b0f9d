"""Requests: what is accepted, and how what is not is told."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jobs.dataset.errors import DatasetError, InvalidInput
from jobs.dataset.order import Order
from jobs.dataset.registry import TEMPLATES

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
NAMES = sorted({field.name for each in TEMPLATES.values() for field in each.fields})
GIVEN = st.dictionaries(st.sampled_from(NAMES), JSON | st.just("some text"), max_size=6)


def order(template_id="sft_qa_pairs", model_name=None, **inputs):
    return Order.from_json({"template_id": template_id, "inputs": inputs, "model_name": model_name})


def test_what_is_left_open_has_its_default():
    inputs = order("hf_dataset_import", hf_id="a/b", split="", max_rows=None, config=" ").inputs

    assert (inputs.text("split"), inputs.number("max_rows")) == ("train", 1000)
    assert inputs.text("config") == ""


@pytest.mark.parametrize("value", [None, "", "  \n "])
def test_a_required_field_that_is_missing_is_named(value):
    with pytest.raises(InvalidInput, match=r"^pairs_text required$"):
        order(pairs_text=value)


@pytest.mark.parametrize("value", [5, True, [], {}, 1.5])
def test_a_text_of_another_type_is_named(value):
    with pytest.raises(InvalidInput, match="pairs_text must be text, not "):
        order(pairs_text=value)


@pytest.mark.parametrize("value", ["5", True, [], 1.5, -1, 0, 51, 10**400, float("nan"), 1e999])
def test_a_number_of_another_type_or_size_is_named_with_its_limits(value):
    with pytest.raises(InvalidInput, match="variants_per_seed must be a whole number from 1 to 50"):
        order("self_instruct", seeds="a", variants_per_seed=value)


def test_a_whole_number_may_have_a_point():
    assert order("self_instruct", seeds="a", variants_per_seed=7.0).inputs.number(
        "variants_per_seed"
    ) == 7  # fmt: skip


def test_a_word_that_is_none_of_the_allowed_is_named():
    with pytest.raises(InvalidInput, match="output_format must be one of text, messages_user_only"):
        order("hf_dataset_import", hf_id="a/b", output_format="xml")


def test_a_text_that_is_too_long_is_told_its_limit():
    with pytest.raises(InvalidInput, match="pairs_text has 4,000,001 characters, and 4,000,000"):
        order(pairs_text="a" * 4_000_001)


@pytest.mark.parametrize("inputs", [[], "text", 5])
def test_inputs_have_to_be_an_object(inputs):
    with pytest.raises(InvalidInput, match="inputs must be an object"):
        Order.from_json({"template_id": "sft_qa_pairs", "inputs": inputs})


@pytest.mark.parametrize("name", [5, [], {}])
def test_a_model_name_is_text(name):
    with pytest.raises(InvalidInput, match="model_name must be text"):
        order(pairs_text="a", model_name=name)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.sampled_from(sorted(TEMPLATES)), GIVEN)
def test_hostile_inputs_are_refused_in_words_or_accepted(template_id, inputs):
    try:
        Order.from_json({"template_id": template_id, "inputs": inputs})
    except DatasetError as error:
        assert str(error)
