"""Vectors in OpenAI's words."""

import base64
import struct
from collections.abc import Sequence
from typing import Any

from inference.api.openai.embeddings_schema import Encoding
from inference.embedding import Embeddings


def embeddings_answer(embeddings: Embeddings, encoding: Encoding) -> dict[str, Any]:
    """Write a list of embeddings as the whole body of an answer.

    Takes seconds for thousands of vectors: call it off the event loop.
    """
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": index, "embedding": _written(vector, encoding)}
            for index, vector in enumerate(embeddings.vectors)
        ],
        "model": embeddings.model_id,
        "usage": {
            "prompt_tokens": embeddings.num_tokens,
            "total_tokens": embeddings.num_tokens,
        },
    }


def _written(vector: Sequence[float], encoding: Encoding) -> str | list[float]:
    match encoding:
        case Encoding.FLOAT:
            return list(vector)
        case Encoding.BASE64:
            return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
