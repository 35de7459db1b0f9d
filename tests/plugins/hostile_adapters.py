"""Adapter folders that somebody made to do harm, or by mistake: none of them may be mounted."""

import json
import os
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from inference.adapters.target import Target
from tests.plugins.adapters import (
    random_factors,
    save_tensors,
    write_adapter,
    write_config,
    write_peft,
)

WEIGHTS = "adapters.safetensors"
Harm = Callable[[Path, Mapping[str, Target], random.Random], None]
_JUNK: list[Any] = [None, [], {}, 0, -1, 1.5, "8", True, 10**400, "x" * 5000, [[[]]], {"r": 8}]


def hostile_folder(folder: Path, targets: Mapping[str, Target], numbers: random.Random) -> Path:
    """Write a good adapter and spoil it in one of many ways, drawn from `numbers`."""
    write_adapter(folder, targets, rank=4)
    numbers.choice(_HARMS)(folder, targets, numbers)
    return folder


def _header(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the header of the weights and leave their data."""
    raw = (folder / WEIGHTS).read_bytes()
    length = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + length])
    change(header)
    encoded = json.dumps(header).encode()
    data = raw[8 + length :]
    (folder / WEIGHTS).write_bytes(len(encoded).to_bytes(8, "little") + encoded + data)


def _cut(folder: Path, targets: Mapping[str, Target], numbers: random.Random) -> None:
    raw = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(raw[: numbers.randrange(len(raw))])


def _wrong_length(folder: Path, targets: Mapping[str, Target], numbers: random.Random) -> None:
    raw = (folder / WEIGHTS).read_bytes()
    length = numbers.choice([0, 1, 2**31, 2**40, 2**63, 2**64 - 1, len(raw), 7])
    (folder / WEIGHTS).write_bytes(length.to_bytes(8, "little") + raw[8:])


def _flipped_header(folder: Path, targets: Mapping[str, Target], numbers: random.Random) -> None:
    raw = bytearray((folder / WEIGHTS).read_bytes())
    at = 8 + numbers.randrange(40)  # within the first names, types and shapes
    raw[at] ^= 0x80
    (folder / WEIGHTS).write_bytes(raw)


def _wrong_type(folder: Path, targets: Mapping[str, Target], numbers: random.Random) -> None:
    dtype = numbers.choice(["F64", "I8", "U8", "BOOL", "F8_E4M3", "F16", "", "x" * 3000, 5, None])
    name = numbers.choice(list(random_factors(targets, 1, 1)))
    _header(folder, lambda header: header[name].update(dtype=dtype))


def _wrong_shape(folder: Path, targets: Mapping[str, Target], numbers: random.Random) -> None:
    shape = numbers.choice([[], [-4, -16], [2**62, 2**62], [0, 0], "no", [4.0, 16], None, [[4]]])
    name = numbers.choice(list(random_factors(targets, 1, 1)))
    _header(folder, lambda header: header[name].update(shape=shape))


def _wrong_place(folder: Path, targets: Mapping[str, Target], numbers: random.Random) -> None:
    offsets = numbers.choice([[-8, 8], [0, 2**50], [8, 0], [0], [], "ab", [0, 1], [None, 4]])
    name = numbers.choice(list(random_factors(targets, 1, 1)))
    _header(folder, lambda header: header[name].update(data_offsets=offsets))


def _shared_bytes(folder: Path, targets: Mapping[str, Target], numbers: random.Random) -> None:
    def overlap(header: dict[str, Any]) -> None:
        for index in range(numbers.randint(100, 3000)):
            header[f"x{index}"] = next(iter(header.values()))

    _header(folder, overlap)


def _wrong_name(folder: Path, targets: Mapping[str, Target], numbers: random.Random) -> None:
    names = ["", ".lora_a", "../../x.lora_a", "model\0.lora_a", "a" * 9000, "__class__.lora_b"]
    names += ["model.layers.99.self_attn.q_proj.lora_a", "model.embed_tokens.lora_a", "\ud800"]
    extra = {numbers.choice(names): np.zeros((16, 4), np.float32)}
    save_tensors(folder / WEIGHTS, {**random_factors(targets, 4, 1), **extra})


def _wrong_rank(folder: Path, targets: Mapping[str, Target], numbers: random.Random) -> None:
    save_tensors(folder / WEIGHTS, random_factors(targets, numbers.choice([1, 3, 5, 64]), 1))


def _wrong_field(folder: Path, targets: Mapping[str, Target], numbers: random.Random) -> None:
    config = json.loads((folder / "adapter_config.json").read_text())
    field = numbers.choice(["rank", "scale"])
    # An integer is a scale, and 1.5 is one as well.
    config["lora_parameters"][field] = numbers.choice([j for j in _JUNK if j not in (-1, 1.5)])
    write_config(folder, config)


def _wrong_peft_field(folder: Path, targets: Mapping[str, Target], numbers: random.Random) -> None:
    (folder / WEIGHTS).unlink()
    write_peft(folder, targets)
    config = json.loads((folder / "adapter_config.json").read_text())
    field, allowed = numbers.choice([("r", ()), ("lora_alpha", (-1, 1.5))])
    config[field] = numbers.choice([value for value in _JUNK if value not in allowed])
    config["use_rslora"] = numbers.choice([False, True, "yes", 10**400])
    write_config(folder, config)


def _no_config(folder: Path, targets: Mapping[str, Target], numbers: random.Random) -> None:
    texts = ["", "[]", "{", "null", "\x00", "[" * 10**6, '{"a":' * 10**5, "{}", '"x"', "NaN"]
    (folder / "adapter_config.json").write_text(numbers.choice(texts))


def _other_method(folder: Path, targets: Mapping[str, Target], numbers: random.Random) -> None:
    config = json.loads((folder / "adapter_config.json").read_text())
    write_config(folder, {**config, "fine_tune_type": numbers.choice(["dora", "full", 7, None])})


def _no_file(folder: Path, targets: Mapping[str, Target], numbers: random.Random) -> None:
    victim = folder / numbers.choice([WEIGHTS, "adapter_config.json"])
    victim.unlink()
    match numbers.randrange(5):
        case 0:
            victim.mkdir()
        case 1:
            os.mkfifo(victim)
        case 2:
            victim.symlink_to(victim)
        case 3:
            victim.symlink_to("/dev/zero")


_HARMS: list[Harm] = [
    _cut,
    _wrong_length,
    _flipped_header,
    _wrong_type,
    _wrong_shape,
    _wrong_place,
    _shared_bytes,
    _wrong_name,
    _wrong_rank,
    _wrong_field,
    _wrong_peft_field,
    _no_config,
    _other_method,
    _no_file,
]
