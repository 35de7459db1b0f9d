"""GGUF file to MLX model folder, as a program: `python -m hub.starter.convert GGUF FOLDER`.

It runs in a process of its own. The caller then never imports mlx, so it stays free to load
a faster BLAS before mlx does, and the memory of the conversion is returned at once. Writes
nothing to standard output but the one line of an error.
"""

import json
import sys
from pathlib import Path
from typing import Any

import mlx.core as mx

from hub.errors import ConversionFailed, HubError
from hub.starter.gguf import FLOAT_TYPE, convert_tensors, quantization_of, read_gguf
from hub.starter.gguf_config import build_config, token_ids
from hub.starter.gguf_tokenizer import build_tokenizer, tokenizer_config


def convert(gguf: Path, folder: Path) -> None:
    """Write a complete model folder, which must exist, from a llama GGUF file.

    Raises ConversionFailed for a file that cannot be carried over exactly, or OSError.
    """
    tensors, metadata = read_gguf(gguf)
    config = build_config(metadata, tied=not any(name.startswith("output.") for name in tensors))
    weights = convert_tensors(tensors, config["num_attention_heads"], config["num_key_value_heads"])
    config["torch_dtype"] = str(FLOAT_TYPE).rsplit(".", maxsplit=1)[-1]
    if quantization := quantization_of(weights):
        # mlx-lm reads "quantization"; "quantization_config" is the name on the Hub.
        config["quantization"] = config["quantization_config"] = quantization
    _save_weights(folder, weights)
    _write_json(folder / "config.json", config)
    build_tokenizer(metadata).save(str(folder / "tokenizer.json"))
    _write_json(folder / "tokenizer_config.json", tokenizer_config(metadata))
    _write_json(folder / "generation_config.json", token_ids(metadata))
    if template := metadata.get("tokenizer.chat_template"):
        (folder / "chat_template.jinja").write_text(template, encoding="utf-8")


def _save_weights(folder: Path, weights: dict[str, mx.array]) -> None:
    name = "model.safetensors"
    try:
        mx.save_safetensors(str(folder / name), weights, metadata={"format": "mlx"})
    except RuntimeError as error:
        # mlx gives the system's reason no name; a full disk is the usual one.
        raise ConversionFailed(f"cannot write {name}: {error} Is the disk full?") from error
    total = sum(weight.nbytes for weight in weights.values())
    _write_json(
        folder / "model.safetensors.index.json",
        {"metadata": {"total_size": total}, "weight_map": dict.fromkeys(sorted(weights), name)},
    )


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Convert, or write one line to standard output; returns the exit status."""
    gguf, folder = map(Path, arguments)
    try:
        convert(gguf, folder)
    except (HubError, OSError) as error:
        sys.stdout.write(" ".join(str(error).split()) + "\n")
        return 1
    except KeyboardInterrupt:
        return 130  # the parent was interrupted as well, and says so
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
