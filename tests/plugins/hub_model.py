"""A model to publish on a fake Hub: two shards, their index, and files nobody should fetch."""

import json
import random

REPO_ID = "owner/model"
SHARD_1, SHARD_2 = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
INDEX = "model.safetensors.index.json"
WANTED = {"config.json", INDEX, SHARD_1, SHARD_2}


def model_files(seed: int = 1) -> dict[str, bytes]:
    """Contents by path; another seed makes other weights, as a new revision has them."""
    numbers = random.Random(seed)
    return {
        "config.json": b'{"model_type": "llama"}',
        "README.md": b"# A model",
        "modeling_model.py": b"import os",
        "pytorch_model.bin": numbers.randbytes(1000),
        SHARD_1: numbers.randbytes(300_000),
        SHARD_2: numbers.randbytes(200_000),
        INDEX: json.dumps({"weight_map": {"a": SHARD_1, "b": SHARD_2}}).encode(),
    }


# What of it a download fetches, in bytes.
SIZE = sum(len(data) for path, data in model_files().items() if path in WANTED)
