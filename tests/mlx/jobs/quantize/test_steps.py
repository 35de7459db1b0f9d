from collections.abc import Callable
from pathlib import Path

import mlx.core as mx
import pytest
from mlx_lm.utils import load_model, quantize_model, save_model

from jobs.quantize.checkpoint import Piece, open_checkpoint
from jobs.quantize.errors import QuantizeError
from jobs.quantize.steps import cast, dequantize, quantize
from jobs.quantize.streaming import StreamedModel
from jobs.quantize.survey import survey
from tests.mlx.jobs.quantize.conftest import ROWS
from tests.plugins.tiny_configs import CONFIGS

Checkpoint = Callable[[str], Path]
TOKENS = mx.array(ROWS[:1])


def as_mlx_lm_quantizes(path: Path, folder: Path, mode: str) -> Path:
    """Write the model as mlx-lm's own conversion would."""
    model, config = load_model(path)
    model, config = quantize_model(model, config, 32, 8 if mode == "mxfp8" else 4, mode)
    save_model(folder, model)
    from mlx_lm.utils import save_config

    save_config(config, folder / "config.json")
    return folder


@pytest.mark.parametrize("kind", CONFIGS)
def test_a_quantized_source_is_made_dense_again(
    tiny_checkpoint: Checkpoint, tmp_path: Path, kind: str
) -> None:
    path = as_mlx_lm_quantizes(tiny_checkpoint(kind), tmp_path, "affine")

    dense = StreamedModel(path, [dequantize])(TOKENS)

    expected = load_model(path)[0](TOKENS)
    assert mx.allclose(dense, expected, atol=1e-3)


@pytest.mark.parametrize("mode", ["mxfp4", "mxfp8", "nvfp4"])
def test_sources_of_other_formats_are_made_dense_as_well(
    tiny_checkpoint: Checkpoint, tmp_path: Path, mode: str
) -> None:
    source = open_checkpoint(tiny_checkpoint("experts"))
    group = 16 if mode == "nvfp4" else 32
    bits = 8 if mode == "mxfp8" else 4
    pieces = source.pieces
    for piece in pieces:
        piece.replace(
            (name, module.to_quantized(group_size=group, bits=bits, mode=mode))
            for name, module in piece.modules()
            if hasattr(module, "to_quantized")
        )
    expected = source.model(TOKENS)

    for piece in pieces:
        dequantize(piece)

    assert not any("scales" in module for piece in pieces for _, module in piece.modules())
    assert mx.allclose(source.model(TOKENS).astype(mx.float32), expected, atol=0.05, rtol=0.05)


def test_a_source_that_cannot_be_made_dense_is_refused() -> None:
    from mlx import nn

    holder = nn.Module()
    holder.experts = nn.Module()
    holder.experts.scales = mx.ones(1)
    holder.experts.global_scale = mx.ones(1)

    with pytest.raises(QuantizeError, match=r"layer\.experts is nvfp4 with a global scale"):
        dequantize(Piece("layer", holder))


def test_a_cast_spares_what_the_author_wants_kept(tiny_checkpoint: Checkpoint) -> None:
    opened = open_checkpoint(tiny_checkpoint("llama"))

    for piece in opened.pieces:
        cast(mx.bfloat16, lambda name: "layernorm" not in name)(piece)

    for piece in opened.pieces:
        for name, array in piece.parameters():
            assert array.dtype == (mx.float32 if "layernorm" in name else mx.bfloat16), name


@pytest.mark.parametrize("storage", [None, mx.bfloat16])
def test_a_survey_knows_the_size_of_the_result_to_the_byte(
    tiny_checkpoint: Checkpoint, storage: mx.Dtype | None
) -> None:
    for kind in ("experts", "hybrid", "deepseek_v3", "gemma4_text"):
        opened = open_checkpoint(tiny_checkpoint(kind))
        surveyed = survey(opened, 32, storage, None)
        plan = surveyed.uniform(3)

        for piece in opened.pieces:
            if storage is not None:
                cast(storage)(piece)
            quantize(plan)(piece)

        arrays = [array for piece in opened.pieces for _, array in piece.parameters()]
        assert surveyed.size_bytes(plan) == sum(array.nbytes for array in arrays), kind


def test_modules_that_no_group_divides_stay_and_others_get_smaller_groups(
    tiny_checkpoint: Checkpoint,
) -> None:
    surveyed = survey(open_checkpoint(tiny_checkpoint("deepseek_v3")), 64, None, None)
    groups = {target.group_size for target in surveyed.targets.values()}

    assert groups == {32, 64}
    assert surveyed.left == 4  # rows of 24 and 16
    assert surveyed.narrowed > 0


def test_what_the_author_prescribes_is_kept(tiny_checkpoint: Checkpoint) -> None:
    surveyed = survey(open_checkpoint(tiny_checkpoint("experts")), 64, None, None)

    plan = surveyed.uniform(4)

    gates = {name: width.bits for name, width in plan.items() if name.endswith("mlp.gate")}
    assert len(gates) == 2
    assert set(gates.values()) == {8}
