"""`POST /v1/embeddings`: its body and its answer."""

from inference.api.openai.embeddings_schema import MAX_INPUTS, Encoding
from inference.api.openai.openapi.answers import ERRORS
from inference.api.openapi.operation import answer, operation
from inference.api.openapi.sampling import IGNORED
from inference.api.openapi.schema import (
    Component,
    anything,
    array,
    either,
    fields,
    integer,
    number,
    record,
    text,
    word,
)

_TEXT = text(minLength=1)
_REQUEST = Component(
    "EmbeddingsRequest",
    fields(
        required={
            "input": either(
                _TEXT,
                array(_TEXT, minItems=1, maxItems=MAX_INPUTS),
                description="One text or several, none of them empty; no token ids",
            )
        },
        optional={
            **IGNORED,
            "instruction": text(
                "What the texts are compared for, as for a query; leave it out for the documents "
                "that are searched"
            ),
            "dimensions": integer(
                "The first numbers of each vector, scaled to unit length; the default is all",
                minimum=1,
            ),
            "encoding_format": word(
                *Encoding,
                description="`base64` holds float32 numbers, little-endian",
                default=Encoding.FLOAT.value,
            ),
            "user": anything("Ignored"),
        },
        examples=[{"input": ["What is a prefix cache?", "Keys and values, kept."]}],
    ),
)
_ANSWER = Component(
    "Embeddings",
    record(
        members={
            "object": word("list"),
            "data": array(
                record(
                    members={
                        "object": word("embedding"),
                        "index": integer("Its place in the input"),
                        "embedding": either(array(number()), text("In base64")),
                    }
                )
            ),
            "model": text("The served model"),
            "usage": record(members={"prompt_tokens": integer(), "total_tokens": integer()}),
        }
    ),
)

EMBEDDINGS = operation(
    "createEmbeddings",
    "Turn texts into vectors",
    "Vectors have unit length, so that their dot product is their similarity. 400 unless the "
    "served model is an embedding model: `embeddings` among the capabilities of a model tells. "
    "Embedding takes the whole engine, and waits until the running generations have ended.",
    body=_REQUEST,
    answers={200: answer("A vector for each text, in order", _ANSWER), **ERRORS},
)
