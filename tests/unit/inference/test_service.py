"""The door to generation: defaults, limits and refusals, through the real engine."""

import asyncio
import threading
from dataclasses import replace

import pytest

from inference.engine.cache.namespaces import is_private
from inference.engine.scripted import ScriptedRunner
from inference.errors import ContextOverBudget, EngineNotRunning, InvalidRequest, QueueFull
from inference.events import FinishReason, collect
from inference.messages import MediaKind, Message, Role, ToolCall
from inference.model_info import GenerationDefaults
from inference.request import (
    ChatPrompt,
    GenerationRequest,
    SamplingChoice,
    SamplingParams,
    TextPrompt,
)
from inference.text.byte_tokenizer import END_OF_TURN
from inference.text.prompt import build_prompt


def request(text="hi", *, id="a", **fields):
    return GenerationRequest(id, TextPrompt(text), **fields)


class Recorder:
    """A script that remembers what it was asked."""

    def __init__(self, answer=(END_OF_TURN,)):
        self.answer = answer
        self.sequences = []

    def __call__(self, sequence):
        self.sequences.append(sequence)
        return self.answer


async def sequence_for(make_service, wanted, **config):
    """The sequence that the engine got for a request."""
    recorder = Recorder()
    service = make_service(runner=ScriptedRunner(recorder), **config)
    async with await service.generate(wanted) as generation:
        await collect(generation)
    return recorder.sequences[0]


@pytest.mark.parametrize(
    ("asked", "flag", "author", "expected"),
    [
        (None, None, None, 0.7),
        (None, None, 0.2, 0.2),
        (None, 0.4, 0.2, 0.4),
        (0.9, 0.4, 0.2, 0.9),
        (0.0, 0.4, 0.2, 0.0),
        (None, 0.0, 0.2, 0.0),
    ],
)
async def test_the_request_goes_before_the_flag_and_the_flag_before_the_model(
    make_service, asked, flag, author, expected
):
    sequence = await sequence_for(
        make_service,
        request(sampling=SamplingChoice(temperature=asked)),
        operator=GenerationDefaults(temperature=flag),
        author=GenerationDefaults(temperature=author),
    )

    assert sequence.sampling.temperature == expected


async def test_each_field_takes_its_default_on_its_own(make_service):
    sequence = await sequence_for(
        make_service,
        request(sampling=SamplingChoice(top_k=3, seed=7)),
        operator=GenerationDefaults(top_p=0.8),
        author=GenerationDefaults(temperature=0.2, top_p=0.5, top_k=40),
    )

    assert sequence.sampling == SamplingParams(temperature=0.2, top_p=0.8, top_k=3, seed=7)


async def test_requests_without_a_seed_draw_differently(make_service):
    seeds = {(await sequence_for(make_service, request())).sampling.seed for _ in range(3)}

    assert len(seeds) == 3


@pytest.mark.parametrize(
    ("asked", "flag", "expected"),
    [(None, None, 90), (None, 20, 20), (5, 20, 5), (50, 20, 50), (5000, None, 90), (None, 99, 90)],
)
async def test_the_token_limit_is_the_requests_or_the_flags_within_the_room(
    make_service, asked, flag, expected
):
    sequence = await sequence_for(
        make_service, request("x" * 10, max_tokens=asked), max_tokens=flag, max_context=100
    )

    assert sequence.max_tokens == expected


async def test_a_prompt_that_leaves_room_for_one_token_gets_one(make_service):
    service = make_service("Hello", max_context=11)

    async with await service.generate(request("x" * 10)) as generation:
        completion = await collect(generation)

    assert (completion.text, completion.reason) == ("H", FinishReason.LENGTH)


@pytest.mark.parametrize(
    ("context_window", "message"),
    [
        (
            1000,
            "prompt is 120 tokens but the memory budget caps safe context at 100 — "
            "no room to generate; shorten the prompt or raise --memory-budget",
        ),
        (
            100,
            "prompt is 120 tokens but the model's context ends at 100 — "
            "no room to generate; shorten the prompt or serve another model",
        ),
    ],
)
async def test_a_prompt_without_room_is_told_its_size_the_limit_and_the_way_out(
    make_service, context_window, message
):
    service = make_service(max_context=100, context_window=context_window)

    with pytest.raises(ContextOverBudget) as raised:
        await service.generate(request("x" * 120))

    assert raised.value.message == message
    assert (raised.value.prompt_tokens, raised.value.limit) == (120, 99)
    assert raised.value.param == "prompt"
    assert service.stats().submitted == 0


async def test_a_prompt_without_tokens_is_refused(make_service):
    with pytest.raises(InvalidRequest):
        await make_service().generate(request(""))


async def test_a_full_line_refuses_at_once(make_service, gate):
    runner = ScriptedRunner(Recorder(), on_step=gate.hold)
    service = make_service(runner=runner, max_running=1, max_waiting=1)
    first = await service.generate(request(id="a"))
    second = await service.generate(request(id="b"))

    with pytest.raises(QueueFull, match="1 requests are waiting, the limit is 1"):
        await service.generate(request(id="c"))

    gate.open()
    for generation in (first, second):
        assert (await collect(generation)).reason is FinishReason.STOP
    async with await service.generate(request(id="d")) as generation:
        assert (await collect(generation)).reason is FinishReason.STOP


@pytest.mark.parametrize("token_id", [-1, 257, 99999999])
async def test_a_bias_on_a_token_that_the_model_lacks_is_refused(make_service, token_id):
    """Public case pa-03, variants 4 and 5."""
    sampling = SamplingChoice(logit_bias={5: 1.0, token_id: 1.0})

    with pytest.raises(InvalidRequest, match=f"token {token_id}.* from 0 to 256") as raised:
        await make_service().generate(request(sampling=sampling))

    assert raised.value.param == "logit_bias"


async def test_media_are_refused_before_the_prompt_is_built(make_service):
    picture = Message(Role.USER, "", media=(MediaKind.IMAGE,))

    with pytest.raises(InvalidRequest, match=r"^model has no vision sidecar$"):
        await make_service().generate(GenerationRequest("a", ChatPrompt((picture,))))


async def test_a_count_is_the_length_of_the_prompt_and_the_engine_hears_nothing(make_service):
    service = make_service()
    prompt = ChatPrompt((Message(Role.SYSTEM, "be kind"), Message(Role.USER, "hé")))

    count = await service.count_tokens(prompt)

    assert service.stats().submitted == 0
    async with await service.generate(GenerationRequest("a", prompt)) as generation:
        assert (await collect(generation)).usage.prompt_tokens == count


async def test_a_prompt_that_is_too_long_is_counted_all_the_same(make_service):
    prompt = ChatPrompt((Message(Role.USER, "x" * 120),))

    assert await make_service(max_context=100).count_tokens(prompt) > 120


async def test_media_are_refused_to_a_count_as_well(make_service):
    picture = Message(Role.USER, "", media=(MediaKind.IMAGE,))

    with pytest.raises(InvalidRequest, match=r"^model has no vision sidecar$"):
        await make_service().count_tokens(ChatPrompt((picture,)))


@pytest.mark.parametrize(
    ("choice", "logprobs", "serial"),
    [
        (SamplingChoice(), None, False),
        (SamplingChoice(seed=0), None, True),
        (SamplingChoice(), 0, True),
        (SamplingChoice(), 5, True),
        (SamplingChoice(min_p=0.1, repetition_penalty=1.2, logit_bias={1: 2.0}), None, False),
    ],
)
async def test_the_lane_is_decided_by_the_request_alone(make_service, choice, logprobs, serial):
    sequence = await sequence_for(make_service, request(sampling=choice, logprobs=logprobs))

    assert (sequence.serial, sequence.logprobs) == (serial, logprobs)


async def test_too_many_prompts_in_preparation_refuse_the_next(make_service, monkeypatch):
    started, release = threading.Semaphore(0), threading.Event()

    def slow(tokenizer, prompt, **options):
        started.release()
        assert release.wait(20)
        return build_prompt(tokenizer, prompt, **options)

    monkeypatch.setattr("inference.request_preparer.build_prompt", slow)
    service = make_service(max_running=1, max_waiting=1)
    waiting = [asyncio.create_task(service.generate(request(id=name))) for name in "ab"]
    for _ in waiting:
        await asyncio.to_thread(started.acquire)

    with pytest.raises(QueueFull, match="1 requests are waiting"):
        await service.generate(request(id="c"))

    release.set()
    for task in waiting:
        async with await task as generation:
            assert (await collect(generation)).reason is FinishReason.STOP


async def test_a_stopped_engine_takes_nothing(make_service):
    service = make_service()
    service._engine.stop()

    with pytest.raises(EngineNotRunning, match="restart the server"):
        await service.generate(request())

    assert not service.is_alive


def test_what_it_says_of_itself(make_service):
    service = make_service(
        author=GenerationDefaults(temperature=0.2, top_k=40),
        operator=GenerationDefaults(temperature=0.5),
        max_running=3,
    )

    assert service.describe() == [("Model", "scripted")]
    assert service.max_running == 3
    assert service.gen_defaults == GenerationDefaults(temperature=0.5, top_k=40)


@pytest.mark.parametrize(
    ("batch", "max_rows", "mode"), [(1, None, "off"), (4, None, "batch"), (4, 1, "serial")]
)
def test_it_tells_whether_requests_share_steps(make_service, batch, max_rows, mode):
    runner = ScriptedRunner(Recorder(), max_rows=max_rows)

    service = make_service(runner=runner, batch=batch, max_running=batch)

    assert service.batch_mode == mode
    assert service.max_running == (max_rows or batch)


async def test_a_call_that_comes_back_changed_is_written_as_the_model_wrote_it(make_service):
    tool = {"type": "function", "function": {"name": "w", "parameters": {"type": "object"}}}
    service = make_service('<tool_call>{"name": "w", "arguments": {"b": 1, "a": 2}}</tool_call>')
    chat = ChatPrompt((Message(Role.USER, "hi"),), (tool,))
    async with await service.generate(GenerationRequest("a", chat)) as generation:
        [called] = (await collect(generation)).tool_calls

    sent_back = ToolCall(f"call_{called.id}", "w", {"a": 2, "b": 1})
    answer = Message(Role.ASSISTANT, "", tool_calls=(sent_back,))
    prompt = service._preparer.build(replace(chat, messages=(*chat.messages, answer)))

    assert '"arguments": {"b": 1, "a": 2}' in bytes(prompt.token_ids).decode()


async def test_what_is_private_shares_no_prefix_with_others_and_is_not_saved(make_service):
    recorder = Recorder()
    service = make_service(runner=ScriptedRunner(recorder))
    service.config = replace(service.config, saves_generations=True)

    for wanted in (request(id="a"), request(id="b", private=True)):
        async with await service.generate(wanted) as generation:
            await collect(generation)

    usual, private = recorder.sequences
    assert not is_private(usual.namespace)
    assert usual.generation_key is not None
    assert is_private(private.namespace)
    assert private.generation_key is None
