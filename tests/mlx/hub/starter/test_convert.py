import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest

from hub.errors import ConversionFailed
from hub.local_model import read_local_model
from hub.starter.convert import convert, main
from hub.starter.install import convert_in_child


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    target = tmp_path / "model"
    target.mkdir()
    return target


def test_the_folder_is_a_model_to_the_registry(
    write_gguf: Callable[..., Any], folder: Path
) -> None:
    convert(write_gguf().path, folder)

    model = read_local_model(folder, "org/tiny")
    index = json.loads((folder / "model.safetensors.index.json").read_text())

    assert (model.model_type, model.quantization.bits) == ("llama", 4)
    assert index["metadata"]["total_size"] == model.weight_bytes
    assert [layer.elements for layer in model.shape.attention] == [64, 64]


def test_mlx_lm_loads_the_folder_and_computes(write_gguf: Callable[..., Any], folder: Path) -> None:
    from mlx_lm import load

    convert(write_gguf().path, folder)

    model, tokenizer = load(str(folder))
    ids = tokenizer.apply_chat_template([{"role": "user", "content": "hi a"}])
    logits = model(mx.array([ids]))

    assert logits.shape == (1, len(ids), 30)
    assert logits.dtype == mx.float32
    assert mx.all(mx.isfinite(logits)).item()
    assert tokenizer.decode(ids) == "hi a"
    assert tokenizer.eos_token_id == 0


def test_the_child_writes_the_same_folder_in_silence(
    write_gguf: Callable[..., Any],
    folder: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    gguf = write_gguf().path
    (tmp_path / "by-child").mkdir()

    convert(gguf, folder)
    convert_in_child(gguf, tmp_path / "by-child")

    for path in folder.iterdir():
        assert (tmp_path / "by-child" / path.name).read_bytes() == path.read_bytes()
    assert capfd.readouterr() == ("", "")


def test_the_childs_reason_reaches_the_caller_in_one_line(
    write_gguf: Callable[..., Any], folder: Path
) -> None:
    gguf = write_gguf(general__architecture="qwen2").path

    with pytest.raises(ConversionFailed, match=r"was not converted: .* architecture qwen2"):
        convert_in_child(gguf, folder)


def test_weights_that_cannot_be_written_are_one_line(
    write_gguf: Callable[..., Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status = main([str(write_gguf().path), str(tmp_path / "absent")])

    output = capsys.readouterr().out
    assert status == 1
    assert output.startswith("cannot write model.safetensors")
    assert output.count("\n") == 1
