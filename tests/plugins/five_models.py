"""Five model shapes, as configs publish them, and what each comes to on an M4 Pro with 24 GB.

Every figure is worked out by hand, by the formulas of `hub/fit.py`; the sums stand beside
them. 19,327,352,832 bytes are usable (0.75 x 24 x 2**30), activations take 1,126,400,000
(2,048 x 550,000), the context is 8,192 tokens.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hub.machine import Device, Machine
from hub.shape import ModelShape, build_shape
from hub.weights import Part, Weights

M4_PRO = Machine("M4 Pro", 24 * 2**30, Device.METAL, 273)
USABLE = 19_327_352_832
TRANSIENT = 1_126_400_000
CONTEXT = 8192


@dataclass(frozen=True)
class Case:
    """A config, bytes of weights, and what follows; tps: tokens a second."""

    config: dict[str, Any]
    weight_bytes: int
    kv_bytes: int
    fits: bool
    max_context: int
    tps: float
    expert_bytes: int = 0

    @property
    def shape(self) -> ModelShape:
        return build_shape(self.config)

    @property
    def weights(self) -> Weights:
        plain = Part(stored_bytes=self.weight_bytes, plain_elements=self.weight_bytes // 2)
        experts = Part(stored_bytes=self.expert_bytes, plain_elements=self.expert_bytes // 2)
        return Weights(plain, experts)

    def write(self, folder: Path) -> None:
        """Write a model folder whose weight file is as long as it says, and empty."""
        folder.mkdir(parents=True)
        (folder / "config.json").write_text(json.dumps(self.config))
        border, end = self.expert_bytes, self.weight_bytes
        header = {
            "model.layers.0.mlp.experts.0.up.weight": [0, border],
            "model.embed_tokens.weight": [border, end],
        }
        entries = {
            name: {"dtype": "BF16", "shape": [(stop - start) // 2], "data_offsets": [start, stop]}
            for name, (start, stop) in header.items()
        }
        encoded = json.dumps(entries).encode()
        with (folder / "model.safetensors").open("wb") as file:
            file.write(len(encoded).to_bytes(8, "little") + encoded)
            file.truncate(8 + len(encoded) + end)  # sparse: takes no room on the disk


CASES = {
    # 32 layers of 2 x 8 x 128 = 2,048 numbers of 2 bytes: 131,072 bytes a token.
    # (19,327,352,832 - 4,500,000,000 - 1,126,400,000) / 131,072 = 104,529.9.
    # 273e9 / (4.5e9 + 1,073,741,824) x 0.82 = 40.163.
    "dense": Case(
        {
            "model_type": "llama",
            "num_hidden_layers": 32,
            "num_attention_heads": 32,
            "num_key_value_heads": 8,
            "hidden_size": 4096,
            "max_position_embeddings": 131_072,
        },
        weight_bytes=4_500_000_000,
        kv_bytes=1_073_741_824,
        fits=True,
        max_context=104_529,
        tps=40.163,
    ),
    # 24 layers, each sixth of them global. 4 global ones of 2 x 1 x 512 = 1,024 numbers: 8,192
    # bytes a token; 20 sliding ones of 2 x 2 x 256 = 1,024: 40,960 bytes a token, for 512 tokens
    # at most. 8,192 x 8,192 + 512 x 40,960 = 88,080,384. There is room for more than the 131,072
    # tokens that it was made for. 273e9 / (5.0e9 + 88,080,384) x 0.82 = 43.997.
    "sliding": Case(
        {
            "model_type": "gemma4",
            "text_config": {
                "model_type": "gemma4_text",
                "num_hidden_layers": 24,
                "sliding_window_pattern": 6,
                "sliding_window": 512,
                "num_attention_heads": 8,
                "num_key_value_heads": 2,
                "num_global_key_value_heads": 1,
                "head_dim": 256,
                "global_head_dim": 512,
                "max_position_embeddings": 131_072,
            },
        },
        weight_bytes=5_000_000_000,
        kv_bytes=88_080_384,
        fits=True,
        max_context=131_072,
        tps=43.997,
    ),
    # 12 full layers of 2 x 2 x 256 = 1,024 numbers: 24,576 bytes a token; 36 linear ones of
    # 32 x 128 x 128 x 4 + 3 x (2 x 16 x 128 + 32 x 128) x 2 = 2,146,304 bytes each, 77,266,944
    # in all. Weights and activations alone, 43,126,400,000, are too much.
    # 273e9 / (42e9 - 40e9 x 502/512 + 278,593,536) x 0.76 = 67.807.
    "hybrid mixture": Case(
        {
            "model_type": "qwen3_next",
            "num_hidden_layers": 48,
            "full_attention_interval": 4,
            "num_attention_heads": 16,
            "num_key_value_heads": 2,
            "head_dim": 256,
            "linear_num_value_heads": 32,
            "linear_num_key_heads": 16,
            "linear_key_head_dim": 128,
            "linear_value_head_dim": 128,
            "linear_conv_kernel_dim": 4,
            "num_experts": 512,
            "num_experts_per_tok": 10,
            "max_position_embeddings": 262_144,
        },
        weight_bytes=42_000_000_000,
        expert_bytes=40_000_000_000,
        kv_bytes=278_593_536,
        fits=False,
        max_context=0,
        tps=67.807,
    ),
    # 48 layers of 2 x 4 x 128 = 1,024 numbers: 98,304 bytes a token, 805,306,368 for 8,192.
    # 17.2e9 + 805,306,368 + 1,126,400,000 = 19,131,706,368 fits;
    # (19,327,352,832 - 17.2e9 - 1,126,400,000) / 98,304 = 10,182.2.
    # 273e9 / (17.2e9 - 16e9 x 120/128 + 805,306,368) x 0.76 = 69.038.
    "mixture": Case(
        {
            "model_type": "qwen3_moe",
            "num_hidden_layers": 48,
            "num_attention_heads": 32,
            "num_key_value_heads": 4,
            "head_dim": 128,
            "num_experts": 128,
            "num_experts_per_tok": 8,
            "max_position_embeddings": 40_960,
        },
        weight_bytes=17_200_000_000,
        expert_bytes=16_000_000_000,
        kv_bytes=805_306_368,
        fits=True,
        max_context=10_182,
        tps=69.038,
    ),
    # 61 layers of 512 + 64 = 576 numbers: 70,272 bytes a token, 575,668,224 for 8,192.
    # 18e9 + 575,668,224 + 1,126,400,000 = 19,702,068,224 is too much, while
    # (19,327,352,832 - 18e9 - 1,126,400,000) / 70,272 = 2,859.6 tokens would fit.
    # 273e9 / (18e9 - 17e9 x 248/256 + 575,668,224) x 0.76 = 98.476.
    "latent mixture": Case(
        {
            "model_type": "deepseek_v3",
            "num_hidden_layers": 61,
            "num_attention_heads": 128,
            "kv_lora_rank": 512,
            "qk_rope_head_dim": 64,
            "n_routed_experts": 256,
            "num_experts_per_tok": 8,
            "max_position_embeddings": 163_840,
        },
        weight_bytes=18_000_000_000,
        expert_bytes=17_000_000_000,
        kv_bytes=575_668_224,
        fits=False,
        max_context=2_859,
        tps=98.476,
    ),
}
