"""Text that tokens cut anywhere arrives whole, streamed or not."""

import pytest

from inference.engine.scripted import ScriptedRunner
from inference.text.byte_tokenizer import END_OF_TURN, ByteTokenizer

FIRST = 300  # the id of the first piece, beyond the bytes that prompts are made of


class PieceTokenizer(ByteTokenizer):
    """Prompts are bytes as ever; the answer's tokens spell given bytes."""

    def __init__(self, pieces):
        unused = FIRST - len(ByteTokenizer.token_bytes)
        self.token_bytes = (*ByteTokenizer.token_bytes, *[b""] * unused, *pieces)


@pytest.fixture
def answer_in_pieces(make_service, serve, post):
    """Call with pieces and fields; returns the text of a whole answer and those of a stream."""

    async def answer(pieces, **fields):
        ids = [*range(FIRST, FIRST + len(pieces)), END_OF_TURN]
        runner = ScriptedRunner(lambda sequence: ids, step_seconds=0.002)
        serve(make_service(runner=runner, tokenizer=PieceTokenizer(pieces)))
        body = {"messages": [{"role": "user", "content": "x"}], **fields}
        whole, streamed = await post(body), await post({**body, "stream": True})
        deltas = [event.get("delta", {}).get("text", "") for event in streamed.events]
        return whole.body["content"][0]["text"], [delta for delta in deltas if delta]

    return answer


async def test_no_part_of_a_stop_sequence_is_sent(answer_in_pieces):
    """Public case st-04."""
    pieces = [b"The quick br", b"own", b" fox jumps"]

    whole, deltas = await answer_in_pieces(pieces, stop_sequences=["own fox"])

    assert whole == "".join(deltas) == "The quick br"


async def test_incomplete_characters_wait(answer_in_pieces):
    pieces = [bytes.fromhex(token) for token in ("6869", "f09f", "9880", "21", "e4b8", "ad")]

    whole, deltas = await answer_in_pieces(pieces)

    assert whole == "".join(deltas) == "hi😀!中"
    assert not any("\ufffd" in delta for delta in deltas)
