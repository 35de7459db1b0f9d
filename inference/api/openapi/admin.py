"""What an operator does, as `inference/api/admin.py` answers it."""

from inference.api.openapi.operation import answer, operation
from inference.api.openapi.refusals import ERROR, REFUSED_READS
from inference.api.openapi.schema import Component, boolean, either, integer, record

_COUNT = integer(minimum=0)

_FLUSHED = Component(
    "Flushed",
    record(
        members={
            "durable": boolean("Whether a restart would lose nothing"),
            "flushedSnapshots": integer("Prompts that were written now", minimum=0),
            "missingSnapshots": integer("Prompts that are not anywhere any more", minimum=0),
            "pendingSnapshots": integer("Prompts that are not on disk, those included", minimum=0),
            "pendingSpills": integer("Files that wait to be written", minimum=0),
            "pendingSpillBytes": integer("Bytes", minimum=0),
            "droppedSpills": integer("Files that had to leave the queue meanwhile", minimum=0),
            "failedSpills": integer("Files that could not be written", minimum=0),
            "elapsedMs": integer("Milliseconds", minimum=0),
            "entries": integer("Prompts on disk", minimum=0),
            "longest_durable_prefix_tokens": integer("Tokens of the longest of them", minimum=0),
        }
    ),
)

FLUSH = operation(
    "flushCache",
    "Write finished prompts to disk",
    "All that is to outlive a restart, without waiting for the server to be idle. Without "
    "`--ssd-cache` there is nothing to write, and nothing is lost.",
    answers={
        **REFUSED_READS,
        200: answer("Everything is durable", _FLUSHED),
        503: answer(
            "Something is not; the figures tell what. Or no engine answers",
            either(_FLUSHED, ERROR),
        ),
    },
)
