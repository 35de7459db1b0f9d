"""The formats in which trainers write adapters: names, order of dimensions, what is refused.

mlx-lm: `<layer>.lora_a` (in, r) and `<layer>.lora_b` (r, out), for experts (experts, r, in) and
(experts, out, r). PEFT: `base_model.model.<layer>.lora_A.weight` (r, in) and
`.lora_B.weight` (out, r), for embeddings `.lora_embedding_A` and `.lora_embedding_B`.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inference.adapters.errors import BadAdapter
from inference.adapters.target import LayerKind

# How factors may begin (PEFT's `init_lora_weights`) without a change to the weights beneath.
_HARMLESS_STARTS = (True, False, "gaussian", "orthogonal", "eva")
_PICKLES = ("adapter_model.bin", "adapters.npz", "adapter_model.pt")


@dataclass(frozen=True, slots=True)
class AdapterFormat:
    """How one kind of adapter folder spells what all of them hold.

    name: of a tensor, with groups `layer`, `side` (A or B) and maybe `embedding`.
    flipped: kinds of layers whose factors lie transposed.
    refused: fields of the configuration that, if they say anything, mean what cannot be had.
    copy: names of tensors that repeat a layer's own weight, with the group `layer`; passed over.
    renamed: other ways to spell a layer's path, as pairs of a beginning and what replaces it;
        the trainer's library may nest the language model elsewhere than mlx-lm does.
    """

    weights_file: str
    name: re.Pattern[str]
    flipped: frozenset[LayerKind]
    refused: Mapping[str, str]
    renamed: tuple[tuple[str, str], ...] = ()
    copy: re.Pattern[str] | None = None

    def spellings(self, layer: str) -> Iterator[str]:
        """Yield the paths under which mlx-lm may have a layer."""
        yield layer
        for beginning, replacement in self.renamed:
            if layer.startswith(beginning):
                yield replacement + layer.removeprefix(beginning)

    def check(self, fields: Mapping[str, Any]) -> None:
        """Raise BadAdapter if the configuration asks for more than plain LoRA."""
        for field, what in self.refused.items():
            if fields.get(field) not in (None, False, "", "none", [], {}):
                raise BadAdapter(f"its configuration sets {field}: {what} cannot be mounted")
        if (start := fields.get("init_lora_weights")) not in (None, *_HARMLESS_STARTS):
            raise BadAdapter(
                f"its configuration sets init_lora_weights to {start!s:.40}, which changes the "
                "model's own weights; convert it to a plain LoRA adapter"
            )


MLX_LM = AdapterFormat(
    weights_file="adapters.safetensors",
    name=re.compile(r"(?P<layer>.+)\.lora_(?P<side>[ab])"),
    flipped=frozenset({LayerKind.EXPERTS}),
    refused={},
)
PEFT = AdapterFormat(
    weights_file="adapter_model.safetensors",
    name=re.compile(
        r"base_model\.model\.(?P<layer>.+?)\.lora_(embedding_)?(?P<side>[AB])(\.default)?(\.weight)?"
    ),
    flipped=frozenset({LayerKind.LINEAR, LayerKind.EMBEDDING}),
    refused={
        "rank_pattern": "ranks of some layers' own",
        "alpha_pattern": "scales of some layers' own",
        "modules_to_save": "modules trained as a whole",
        "trainable_token_indices": "tokens trained as a whole",
        "bias": "trained biases",
        "lora_bias": "trained biases",
        "fan_in_fan_out": "transposed layers",
        "layer_replication": "layers used more than once",
        "target_parameters": "factors of single parameters",
        "use_qalora": "grouped factors",
        "use_bdlora": "block-diagonal factors",
        "arrow_config": "an adapter that routes tokens",
        "kasa_config": "factors with singular values",
        "alora_invocation_tokens": "an adapter that is on for a part of the text",
    },
    renamed=(
        ("model.language_model.", "language_model.model."),
        ("language_model.model.", "model."),
        ("", "language_model."),
    ),
    # PEFT saves the embedding or head as well, where it is among the layers that were trained.
    copy=re.compile(r"base_model\.model\.(?P<layer>.+)\.base_layer\.weight"),
)


def find_format(folder: Path) -> AdapterFormat:
    """Tell an adapter's format by the file that its weights are in; raises BadAdapter."""
    for candidate in (MLX_LM, PEFT):
        if (folder / candidate.weights_file).exists():
            return candidate
    if found := next((name for name in _PICKLES if (folder / name).exists()), None):
        raise BadAdapter(f"{found} is not read, since it can hold programs; use safetensors")
    raise BadAdapter(f"it has neither {MLX_LM.weights_file} nor {PEFT.weights_file}")
