import pytest

from inference.adapters.config import bare_name, read_config, read_fields
from inference.adapters.errors import BadAdapter
from tests.plugins.adapters import mlx_lm_config, write_config

PEFT = {"peft_type": "LORA", "r": 16, "lora_alpha": 8}


def test_mlx_lm_nests_rank_and_scale():
    config = read_config(mlx_lm_config(8, 20.0, model="mlx-community/Qwen3-4B-4bit"))

    assert (config.rank, config.scale) == (8, 20.0)
    assert config.base_model == "mlx-community/Qwen3-4B-4bit"
    assert not config.ranks_vary


@pytest.mark.parametrize(("rslora", "scale"), [(False, 0.5), (True, 2.0)])
def test_peft_spells_the_scale_as_a_quotient(rslora, scale):
    config = read_config({**PEFT, "use_rslora": rslora, "base_model_name_or_path": "org/base"})

    assert (config.rank, config.scale, config.base_model) == (16, scale, "org/base")


def test_optiq_has_rank_and_scale_at_the_top_and_ranks_that_vary(tmp_path):
    write_config(
        tmp_path, {"rank": 8, "scale": 1.5, "source_model": "/m/x"}, "optiq_lora_config.json"
    )

    config = read_config(read_fields(tmp_path))

    assert (config.rank, config.scale, config.base_model) == (8, 1.5, "/m/x")
    assert config.ranks_vary


def test_optiqs_own_file_beside_the_usual_one_tells_that_ranks_vary(tmp_path):
    write_config(tmp_path, {"rank": 1}, "optiq_lora_config.json")
    write_config(tmp_path, mlx_lm_config(8, 2.0))

    config = read_config(read_fields(tmp_path))

    assert (config.rank, config.scale, config.ranks_vary) == (8, 2.0, True)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, "no rank that is a whole number"),
        ({"lora_parameters": {"rank": 8}}, "no scale that is a number"),
        ({"lora_parameters": []}, "lora_parameters .* is not an object"),
        (mlx_lm_config(0, 1.0), "no rank"),
        (mlx_lm_config(True, 1.0), "no rank"),
        (mlx_lm_config(8.0, 1.0), "no rank"),
        (mlx_lm_config(8, "1"), "no scale"),
        (mlx_lm_config(8, True), "no scale"),
        (mlx_lm_config(8, float("nan")), "no scale"),
        (mlx_lm_config(8, 10**400), "no scale"),
        (mlx_lm_config(8, 0), "no scale that is a number other than 0"),
        ({**PEFT, "lora_alpha": None}, "no lora_alpha"),
        ({**PEFT, "r": 0}, "no r "),
        ({**PEFT, "r": 2**20 + 1}, "no r that is a whole number from 1 to 1,048,576"),
        ({**PEFT, "r": 10**400}, "no r "),
        ({**PEFT, "r": 10**400, "use_rslora": True}, "no r "),
        ({**PEFT, "lora_alpha": 10**400}, "no lora_alpha"),
        ({**PEFT, "lora_alpha": 5e-324}, "too small"),
        (mlx_lm_config(10**400, 1.0), "no rank"),
        ({**PEFT, "peft_type": "IA3"}, "trained by 'IA3'"),
        ({**PEFT, "use_dora": True}, "trained by 'dora'"),
        (mlx_lm_config(8, 1.0, fine_tune_type="dora"), "trained by 'dora'"),
        (mlx_lm_config(8, 1.0, fine_tune_type="full"), "trained by 'full'"),
        (mlx_lm_config(8, 1.0, base_model=5), "base_model .* is no name"),
    ],
)
def test_a_configuration_that_makes_no_sense_is_refused(fields, reason):
    with pytest.raises(BadAdapter, match=reason):
        read_config(fields)


@pytest.mark.parametrize(
    ("recorded", "fits"),
    [
        (None, True),
        ("", True),
        ("org/Tiny-1B", True),
        ("other/Tiny-1B/", True),
        ("/models/of/mine/Tiny-1B", True),
        ("/hf/models--org--Tiny-1B/snapshots/0123abc", True),
        ("org/Tiny-1B-4bit", False),
        ("org/tiny-1b", False),
    ],
)
def test_models_are_compared_by_name_without_owner(recorded, fits):
    config = read_config(mlx_lm_config(8, 1.0, base_model=recorded))

    assert config.fits_base("mine/Tiny-1B") is fits


def test_a_bare_name_is_the_last_part_of_a_repo_id():
    assert bare_name("org/name") == bare_name("name") == "name"
