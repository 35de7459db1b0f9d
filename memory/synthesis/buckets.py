"""Buckets: the model says which of the user's large drawers a chunk belongs to.

They are for people who look through the ledger on the admin pages; no other stage reads them.
"""

from collections.abc import Mapping

from memory.synthesis.choices import list_choices, read_choices
from memory.synthesis.chunk_text import transcript
from memory.synthesis.models import Bucket, Chunk, ChunkBucket
from memory.synthesis.question import Question

MOST = 2  # buckets of a chunk
MAX_TOKENS = 16
CHARACTERS = 1200
"""Of a chunk: what it is about on the whole takes less than its names do."""
INSTRUCTIONS = (
    "Below are buckets, each with what goes there, and a conversation. Write the name of the "
    "bucket that the conversation belongs to, and nothing else. If it belongs to several, write "
    "each on a line; if to none of them, write NONE."
)


def bucket_question(chunk: Chunk, defined: Mapping[str, str]) -> Question:
    said = transcript(chunk, CHARACTERS)
    material = f"Buckets:\n{list_choices(defined)}\n\nConversation:\n{said}"
    return Question("extract", INSTRUCTIONS, material, MAX_TOKENS, "Bucketing")


def keep_buckets(chunk: Chunk, answer: str, defined: Mapping[str, str]) -> None:
    """Note what an answer says. Inside of a transaction."""
    for name in read_choices(answer, defined, MOST):
        bucket, _ = Bucket.objects.get_or_create(pk=name)
        ChunkBucket.objects.get_or_create(chunk=chunk, bucket=bucket)
