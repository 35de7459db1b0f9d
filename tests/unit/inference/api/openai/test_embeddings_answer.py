"""Vectors on the wire."""

import base64
import struct
from array import array

from inference.api.openai.embeddings_answer import embeddings_answer
from inference.api.openai.embeddings_schema import Encoding
from inference.embedding import Embeddings

VECTORS = [array("f", [0.6, 0.8]), array("f", [-1.0, 0.1])]


def answer(encoding):
    return embeddings_answer(Embeddings(VECTORS, 7, "org/model"), encoding)


def test_a_list_of_embeddings_has_openais_shape():
    assert answer(Encoding.FLOAT) == {
        "object": "list",
        "data": [
            {"object": "embedding", "index": 0, "embedding": list(VECTORS[0])},
            {"object": "embedding", "index": 1, "embedding": list(VECTORS[1])},
        ],
        "model": "org/model",
        "usage": {"prompt_tokens": 7, "total_tokens": 7},
    }


def test_base64_holds_the_same_numbers_as_little_endian_float32():
    for row, vector in zip(answer(Encoding.BASE64)["data"], VECTORS, strict=True):
        raw = base64.b64decode(row["embedding"], validate=True)
        assert list(struct.unpack("<2f", raw)) == list(vector)
