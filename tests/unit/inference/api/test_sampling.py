"""The sampling fields, whatever the protocol: types, ranges, and texts that clients know."""

import dataclasses
import math

import pytest

from inference.api.sampling import MAX_SEED, sampling_choice
from inference.errors import InvalidRequest
from inference.request import SamplingChoice, SamplingParams, ToneCurveChoice

NAMES = [field.name for field in dataclasses.fields(SamplingChoice)]


def test_every_field_finds_its_place():
    fields = {
        "logit_bias": {"5": 1, "6": -2.5},
        "repetition_penalty": 1.5,
        "repetition_context_size": 1,
        "presence_penalty": -0.5,
        "presence_context_size": 2,
        "frequency_penalty": 3,
        "frequency_context_size": 0,
        "top_p": 0.9,
        "min_p": 0.1,
        "xtc_probability": 1,
        "xtc_threshold": 0.5,
        "top_k": 3,
        "temperature": 2,
        "seed": 7,
    }
    curve = {"enabled": True, "width": 1, "shoulder": 2, "toe": 0, "pivot_offset": 100}

    choice = sampling_choice({**fields, "hlg": curve})

    fields["tone_curve"] = ToneCurveChoice(True, 1, 2, 0, 100)
    # A drawn curve is no field of these routes; only the designer sends one.
    assert set(fields) == set(NAMES) - {"transfer_curve"}
    assert choice == SamplingChoice(**{**fields, "logit_bias": {5: 1.0, 6: -2.5}})


@pytest.mark.parametrize("body", [{}, dict.fromkeys(NAMES)])
def test_absent_and_null_leave_the_choice_to_the_server(body):
    assert sampling_choice(body) == SamplingChoice()


def test_a_repetition_penalty_of_zero_is_off():
    choice = sampling_choice({"repetition_penalty": 0})

    assert choice.over(SamplingParams(repetition_penalty=1.3)).repetition_penalty == 1.0


def test_an_empty_bias_is_one():
    assert sampling_choice({"logit_bias": {}}).logit_bias == {}


@pytest.mark.parametrize(("seed", "expected"), [(0, 0), (MAX_SEED, MAX_SEED), (-1, MAX_SEED)])
def test_a_seed_has_64_bits(seed, expected):
    assert sampling_choice({"seed": seed}).seed == expected


def test_a_top_k_larger_than_any_vocabulary_is_allowed():
    assert sampling_choice({"top_k": 10**9}).top_k == 10**9


NO_BIAS = "logit_bias must be a dict of int to float"


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("hlg", True, "hlg must be an object"),
        ("temperature", -0.1, "temperature must be at least 0"),
        ("temperature", "0", "temperature must be of type ('float', 'int')"),
        ("temperature", 10**400, "temperature must be a finite number"),
        ("top_p", 1.1, "top_p must be at most 1"),
        ("top_p", -1, "top_p must be at least 0"),
        ("min_p", 1.1, "min_p must be at most 1"),
        ("min_p", -1, "min_p must be at least 0"),
        ("xtc_probability", 1.1, "xtc_probability must be at most 1"),
        ("xtc_probability", -1, "xtc_probability must be at least 0"),
        ("xtc_threshold", 0.6, "xtc_threshold must be at most 0.5"),
        ("xtc_threshold", -1, "xtc_threshold must be at least 0"),
        ("top_k", -1, "top_k must be at least 0"),
        ("top_k", 1.0, "top_k must be of type int"),
        ("seed", 2**64, f"seed must be at most {MAX_SEED}"),
        ("seed", "1", "seed must be of type int"),
        ("repetition_penalty", -1, "repetition_penalty must be at least 0"),
        ("presence_penalty", True, "presence_penalty must be of type ('float', 'int')"),
        ("presence_penalty", math.inf, "presence_penalty must be a finite number"),
        ("frequency_penalty", -(10**400), "frequency_penalty must be a finite number"),
        ("repetition_context_size", -1, "repetition_context_size must be at least 0"),
        ("presence_context_size", 1.5, "presence_context_size must be of type int"),
        ("frequency_context_size", -1, "frequency_context_size must be at least 0"),
        ("logit_bias", [], NO_BIAS),
        ("logit_bias", "5", NO_BIAS),
        ("logit_bias", {"5": []}, NO_BIAS),
        ("logit_bias", {"5": None}, NO_BIAS),
        ("logit_bias", {"5": True}, NO_BIAS),
        ("logit_bias", {"": 1}, NO_BIAS),
        ("logit_bias", {"1.5": 1}, NO_BIAS),
        ("logit_bias", {"9" * 5000: 1}, NO_BIAS),
        ("logit_bias", {"5": 10**400}, "logit_bias must have finite numbers"),
    ],
)
def test_a_field_at_fault_is_named(name, value, message):
    with pytest.raises(InvalidRequest) as raised:
        sampling_choice({name: value})

    assert (raised.value.message, raised.value.param) == (message, name)


@pytest.mark.parametrize(
    ("bias", "message"),
    [
        ({"abc": 1}, NO_BIAS),
        ({"5": "x"}, NO_BIAS),
        ({"5": 1, "-1": 1}, "logit_bias has token id -1, but ids start at 0"),
    ],
)
def test_a_bias_that_is_no_bias_is_refused(bias, message):
    """Public case pa-03, as far as it needs no vocabulary."""
    with pytest.raises(InvalidRequest) as raised:
        sampling_choice({"logit_bias": bias})

    assert (raised.value.message, raised.value.param) == (message, "logit_bias")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("enabled", "no", "enabled must be of type bool"),
        ("width", -1, "width must be at least 0"),
        ("toe", 101, "toe must be at most 100"),
        ("pivot_offset", "6", "pivot_offset must be of type ('float', 'int')"),
    ],
)
def test_a_field_of_the_tone_curve_at_fault_is_named(name, value, message):
    with pytest.raises(InvalidRequest) as raised:
        sampling_choice({"hlg": {name: value}})

    assert (raised.value.message, raised.value.param) == (message, name)
