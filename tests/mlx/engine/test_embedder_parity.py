"""Our vectors are those that transformers computes. Needs torch: the extra `parity`."""

import numpy as np
import pytest

from hub.density import WeightsOption
from inference.engine.embedder import ModelEmbedder
from inference.engine.headless import find_headless_classes
from inference.engine.loader import load

torch = pytest.importorskip("torch", reason="needs torch: pip install 'mlxsite[parity]'")

pytestmark = pytest.mark.slow

TEXTS = [
    "hello",
    "The cat sat on the mat.",
    "",
    "a" * 300,
    "Instruct: find\nQuery:kittens",
    "héé 🙂",
]


@pytest.fixture(scope="module")
def checkpoint(embedding_checkpoint, tmp_path_factory):
    """A random model as transformers itself draws and saves one, with our tokenizer."""
    from transformers import AutoTokenizer, Qwen3Config, Qwen3Model

    folder = tmp_path_factory.mktemp("transformers")
    torch.manual_seed(3)
    config = Qwen3Config(
        vocab_size=260,
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=16,
        max_position_embeddings=1024,
        initializer_range=0.3,
        tie_word_embeddings=False,
    )
    Qwen3Model(config).to(torch.float32).save_pretrained(folder)
    AutoTokenizer.from_pretrained(embedding_checkpoint).save_pretrained(folder)
    return folder


def reference(folder):
    """Vectors by transformers alone: its tokenizer, its model, one text at a time."""
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
    vectors = []
    for text in TEXTS:
        with torch.no_grad():
            hidden = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0, -1]
        vectors.append(torch.nn.functional.normalize(hidden, dim=-1).numpy())
    return vectors


def test_vectors_point_where_those_of_transformers_do(checkpoint):
    from inference.text.pretrained import PretrainedTokenizer

    tokenizer = PretrainedTokenizer(checkpoint, {}, {})
    rows = [tokenizer.encode(text, add_special_tokens=True) for text in TEXTS]
    model = load(checkpoint, WeightsOption.AUTO, 10**9, find_headless_classes).model
    embedder = ModelEmbedder(model, 64, lambda: None)

    vectors = embedder.embed(rows, embedder.dimensions, lambda: None)

    for ours, theirs in zip(vectors, reference(checkpoint), strict=True):
        assert np.dot(ours, theirs) >= 0.9999
