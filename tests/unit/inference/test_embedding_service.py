"""Texts to vectors through a real engine, with an embedder that counts."""

import asyncio
import threading

import pytest

from inference.embedding import EmbeddingRequest
from inference.errors import (
    ContextOverBudget,
    EngineNotRunning,
    GenerationFailed,
    InvalidRequest,
)
from tests.plugins.scripted_embedder import ScriptedEmbedder
from tests.plugins.scripted_engine import PATIENCE


def embed(service, *texts, **fields):
    return service.embed(EmbeddingRequest(texts, **fields))


async def test_every_text_has_its_vector_in_order(make_service):
    embedder = ScriptedEmbedder()
    service = make_service(embedder=embedder)

    one, other = (await embed(service, "aaa", "bcd")).vectors
    [again] = (await embed(service, "bcd")).vectors

    assert one != other
    assert other == again
    assert [bytes(row) for row in embedder.seen] == [b"aaa", b"bcd", b"bcd"]


async def test_tokens_are_counted_over_all_texts(make_service):
    service = make_service(embedder=ScriptedEmbedder())

    assert (await embed(service, "four", "more")).num_tokens == 8


async def test_an_instruction_stands_ahead_of_every_text(make_service):
    embedder = ScriptedEmbedder()
    service = make_service(embedder=embedder)

    await embed(service, "a", "b", instruction="Find cats")

    assert [bytes(row) for row in embedder.seen] == [
        b"Instruct: Find cats\nQuery:a",
        b"Instruct: Find cats\nQuery:b",
    ]


async def test_half_a_character_is_replaced(make_service):
    embedder = ScriptedEmbedder()
    service = make_service(embedder=embedder)

    await embed(service, "x \ude00")

    assert bytes(embedder.seen[0]).decode() == "x \ufffd"


async def test_vectors_are_cut_to_the_dimensions_asked_for(make_service):
    service = make_service(embedder=ScriptedEmbedder(dimensions=8))

    assert [len(v) for v in (await embed(service, "a")).vectors] == [8]
    assert [len(v) for v in (await embed(service, "a", dimensions=3)).vectors] == [3]
    with pytest.raises(InvalidRequest, match=r"dimensions is 9, but .* have 8") as caught:
        await embed(service, "a", dimensions=9)
    assert caught.value.param == "dimensions"


@pytest.mark.parametrize(
    ("window", "bound"),
    [(10, "the model's context ends at 10"), (99, "memory budget caps safe context at 10")],
)
async def test_a_text_that_is_too_long_is_refused_with_its_length_and_the_limit(
    make_service, window, bound
):
    service = make_service(embedder=ScriptedEmbedder(), max_context=10, context_window=window)
    assert len((await embed(service, "x" * 10)).vectors) == 1

    with pytest.raises(ContextOverBudget, match=bound) as caught:
        await embed(service, "short", "x" * 11)

    error = caught.value
    assert "input[1] is 11 tokens" in error.message
    assert (error.param, error.prompt_tokens, error.limit) == ("input", 11, 10)


async def test_a_model_that_does_not_embed_says_so(make_service):
    service = make_service()

    with pytest.raises(InvalidRequest, match="'scripted' is no embedding model"):
        await embed(service, "a")

    assert not service.can_embed
    assert make_service(embedder=ScriptedEmbedder()).can_embed


async def test_a_failure_ends_the_request_and_not_the_engine(make_service, caplog):
    embedder = ScriptedEmbedder()
    service = make_service(embedder=embedder)

    def fail():
        embedder.on_row = lambda: None
        raise ArithmeticError("overflow")

    embedder.on_row = fail

    with pytest.raises(GenerationFailed, match="ArithmeticError: overflow"):
        await embed(service, "a")
    assert len((await embed(service, "a")).vectors) == 1


async def test_a_stopped_engine_embeds_nothing(make_service):
    service = make_service(embedder=ScriptedEmbedder())
    service._engine.stop()

    with pytest.raises(EngineNotRunning):
        await embed(service, "a")


async def test_work_ends_when_its_caller_leaves(make_service, caplog):
    begun, opened = threading.Event(), threading.Event()
    embedder = ScriptedEmbedder()
    service = make_service(embedder=embedder)

    def hold():
        begun.set()
        assert opened.wait(PATIENCE)

    embedder.on_row = hold
    task = asyncio.create_task(embed(service, "a", "b", "c"))
    assert await asyncio.to_thread(begun.wait, PATIENCE)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    opened.set()
    await embed(service, "later")

    assert [bytes(row) for row in embedder.seen] == [b"a", b"later"]
    assert caplog.records == []
