from typing import Any

import pytest

from jobs.quantize.config import QuantizeConfig
from jobs.quantize.errors import InvalidField


def read(**fields: Any) -> QuantizeConfig:
    return QuantizeConfig.from_json({"model_id": "org/name", **fields})


def test_a_model_alone_gets_four_bits_in_groups_of_64() -> None:
    config = read()

    assert (config.bits, config.group_size, config.is_mixed) == (4, 64, False)
    assert (config.rotate_weights, config.rotation_seed, config.scales) == (False, 42, "auto")
    assert (config.n_calibration, config.reference) == (16, None)


def test_null_and_unknown_fields_count_as_absent() -> None:
    assert read(bits=None, reference=None, target_bpw=None, colour="red") == read()


def test_no_calibration_rows_at_all_means_the_usual_number() -> None:
    assert read(n_calibration=0) == read()


def test_what_a_form_sends_for_mixed_precision_is_taken() -> None:
    config = read(target_bpw=5, candidate_bits=[8, 4], bits=4, group_size=32)

    assert (config.target_bpw, config.candidate_bits, config.is_mixed) == (5.0, (4, 8), True)


@pytest.mark.parametrize(
    ("fields", "suffix"),
    [
        ({}, "4bit"),
        ({"bits": 8}, "8bit"),
        ({"bits": 8, "target_bpw": 5.0}, "mixed-5bpw"),
        ({"target_bpw": 3.5}, "mixed-3.5bpw"),
        ({"rotate_weights": True}, "4bit-rot42"),
        ({"rotate_weights": False, "rotation_seed": 7}, "4bit"),
        ({"target_bpw": 4.5, "rotate_weights": True, "rotation_seed": 7}, "mixed-4.5bpw-rot7"),
    ],
)
def test_the_suffix_names_the_widths_and_the_rotation(fields: dict[str, Any], suffix: str) -> None:
    assert read(**fields).suffix == suffix


@pytest.mark.parametrize("model_id", [None, "", "  ", 7, ["org/name"]])
def test_a_model_is_required(model_id: Any) -> None:
    with pytest.raises(InvalidField, match=r"^model_id required$"):
        read(model_id=model_id)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"bits": 7}, "bits must be one of 2, 3, 4, 5, 6, 8, not 7"),
        ({"bits": "4"}, "bits must be one of 2, 3, 4, 5, 6, 8, not '4'"),
        ({"bits": True}, "bits must be one of 2, 3, 4, 5, 6, 8, not True"),
        ({"group_size": 16}, "group_size must be one of 32, 64, 128, not 16"),
        ({"target_bpw": 1.5}, "target_bpw must be a number from 2 to 16, not 1.5"),
        ({"target_bpw": "5"}, "target_bpw must be a number from 2 to 16, not '5'"),
        ({"candidate_bits": []}, "candidate_bits must be a list of widths, not []"),
        ({"candidate_bits": [4, 7]}, "candidate_bits must be one of 2, 3, 4, 5, 6, 8, not 7"),
        ({"reference": 7}, "reference must be text, not 7"),
        ({"calibration_mix": "poems"}, "calibration_mix must be mixed, or some of prose"),
        ({"n_calibration": -1}, "n_calibration must be a whole number from 0 to 512, not -1"),
        ({"n_calibration": 1e9}, "n_calibration must be a whole number from 0 to 512"),
        ({"rotate_weights": 1}, "rotate_weights must be true or false, not 1"),
        ({"rotation_seed": 2**32}, "rotation_seed must be a whole number from 0 to 4294967295"),
        ({"scales": "int8"}, "scales must be one of auto, bfloat16, float16, float32, not 'int8'"),
    ],
)
def test_a_wrong_field_is_named_with_its_limits_and_its_value(
    fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(InvalidField) as raised:
        read(**fields)

    assert words in str(raised.value)


def test_a_target_that_scales_alone_make_impossible_is_refused_with_the_least_that_is() -> None:
    with pytest.raises(InvalidField, match=r"take 4\.5 at least.*ask for 4\.5 or more"):
        read(target_bpw=4.0, candidate_bits=[4, 8])

    assert read(target_bpw=4.5, candidate_bits=[4, 8]).target_bpw == 4.5


def test_wide_scales_count_against_the_target() -> None:
    with pytest.raises(InvalidField, match="take 5 at least"):
        read(target_bpw=4.5, candidate_bits=[4, 8], scales="float32")


def test_a_hostile_value_is_not_repeated_at_length() -> None:
    with pytest.raises(InvalidField) as raised:
        read(bits="4" * 10_000)

    assert len(str(raised.value)) < 200
