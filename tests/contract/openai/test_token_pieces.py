"""Text that tokens cut anywhere arrives whole, on both routes, streamed or not."""

import json

import pytest

from inference.engine.scripted import ScriptedRunner
from inference.text.byte_tokenizer import END_OF_TURN, ByteTokenizer
from inference.text.token_bytes import _byte_level

FIRST = 300  # the id of the first piece, beyond the bytes that prompts are made of


class PieceTokenizer(ByteTokenizer):
    """Prompts are bytes as ever; the answer's tokens spell given bytes."""

    def __init__(self, pieces):
        unused = FIRST - len(ByteTokenizer.token_bytes)
        self.token_bytes = (*ByteTokenizer.token_bytes, *[b""] * unused, *pieces)


@pytest.fixture
def answer_in_pieces(make_service, serve, async_client, route):
    """Call with pieces and fields; returns the texts of a stream and of a whole answer, each
    with the reason why it ended."""

    async def answer(pieces, **fields):
        ids = [*range(FIRST, FIRST + len(pieces)), END_OF_TURN]
        runner = ScriptedRunner(lambda sequence: ids, step_seconds=0.002)
        serve(make_service(runner=runner, tokenizer=PieceTokenizer(pieces)))
        streamed = await post(stream=True, **fields)
        content = b"".join([part async for part in streamed.streaming_content]).decode()
        [whole] = (await post(**fields)).json()["choices"]
        return read_stream(content), (route.text(whole), whole["finish_reason"])

    async def post(**fields):
        return await async_client.post(
            route.path, route.body(**fields), content_type="application/json"
        )

    def read_stream(content):
        lines = [line for line in content.split("\n") if line.startswith("data: ")]
        assert lines.pop() == "data: [DONE]"
        choices = [json.loads(line.removeprefix("data: "))["choices"][0] for line in lines]
        return [text for c in choices if (text := route.text(c))], choices[-1]["finish_reason"]

    return answer


async def test_no_part_of_a_stop_string_is_sent(answer_in_pieces):
    """Public case st-04."""
    pieces = [b"The quick br", b"own", b" fox jumps"]

    (deltas, reason), whole = await answer_in_pieces(pieces, stop=["own fox"])

    assert ("".join(deltas), reason) == ("The quick br", "stop")
    assert whole == ("The quick br", "stop")


async def test_incomplete_characters_wait_and_complete_ones_do_not(answer_in_pieces):
    """Public case st-06."""
    pieces = [bytes.fromhex(token) for token in ("6869", "f09f", "9880", "21", "e4b8", "ad")]

    (deltas, _reason), whole = await answer_in_pieces(pieces)

    assert "".join(deltas) == whole[0] == "hi😀!中"
    assert deltas[0] == "hi"
    assert not any("\ufffd" in delta for delta in deltas)


async def test_the_marker_of_a_byte_level_vocabulary_is_a_space(answer_in_pieces):
    """Public case st-08."""
    pieces = [_byte_level(piece) for piece in ("Ġhello", "Ġworld", "Ċ", "Ġx")]

    (deltas, _reason), whole = await answer_in_pieces(pieces)

    assert "".join(deltas) == whole[0] == " hello world\n x"
