"""Constraints with everything else that a request may ask for, over random weights.

Only masks can make such a model answer as asked, whatever its logits are and whatever biases,
penalties and filters make of them.
"""

import asyncio
import itertools
import json
import shutil
from contextlib import contextmanager

import pytest

from hub.config import HubConfig
from inference.constraint import AnyJson, Choice, JsonSchema, Regex
from inference.events import FinishReason, collect
from inference.messages import Message, Role
from inference.model_service import build
from inference.options import ServeOptions
from inference.request import (
    CallPolicy,
    ChatPrompt,
    GenerationRequest,
    SamplingChoice,
    TextPrompt,
    ToneCurveChoice,
    ToolChoice,
)
from tests.plugins.grammar import verdict
from tests.plugins.schema_battery.all_cases import BATTERY
from tests.plugins.schema_battery.case import Promise
from tests.plugins.schema_battery.clients import EDIT, tool
from tests.plugins.schema_battery.validator import accepts
from tests.plugins.tiny_model import BYTES, CHAT_TEMPLATE

END_OF_REASONING = "</think>"
HELLO = ChatPrompt((Message(Role.USER, "hi"),))
HOT = SamplingChoice(temperature=1.5)
SMALL = {
    "type": "object",
    "properties": {
        "ok": {"type": "boolean"},
        "name": {"type": "string", "maxLength": 6},
        "count": {"type": "integer", "minimum": -20, "maximum": 20},
        "tags": {"type": "array", "items": {"enum": ["a", "b\n", "é"]}, "maxItems": 3},
    },
    "required": ["ok", "name", "count"],
    "additionalProperties": False,
}
# Schemas whose every answer is short, so that each one ends.
BOUNDED = [
    SMALL,
    {"enum": ["red", "green", 5, None, {"a": [1]}]},
    {"type": ["boolean", "null"]},
    {"type": "string", "pattern": "^[A-Z]{2}-[0-9]{4}$"},
    {"type": "string", "format": "date"},
    {"type": "array", "items": {"type": "boolean"}, "minItems": 2, "maxItems": 6},
    {"type": "number", "minimum": -1, "maximum": 1, "multipleOf": 0.25},
    {"oneOf": [{"const": "x"}, {"type": "integer", "exclusiveMinimum": 5, "maximum": 99}]},
    {"type": "object", "properties": dict.fromkeys("abc", SMALL["properties"]["tags"])},
    {"anyOf": [SMALL, {"type": "array", "prefixItems": [{"const": 1}], "items": False}]},
]

_numbers = itertools.count()


@contextmanager
def served(model, folder):
    """Build a service as the server does."""
    hub = HubConfig(models_dir=folder, hf_cache_dir=folder)
    service = build(ServeOptions(model=str(model)), hub)
    yield service
    service.close()


@pytest.fixture(scope="module")
def service(tiny_checkpoint, tmp_path_factory):
    """The service of a tiny model."""
    with served(tiny_checkpoint("llama"), tmp_path_factory.mktemp("hub")) as service:
        yield service


@pytest.fixture(scope="module")
def thinking_service(tiny_checkpoint, tmp_path_factory):
    """One whose prompts open the reasoning; token 256 ends it."""
    folder = tmp_path_factory.mktemp("thinking")
    model = shutil.copytree(tiny_checkpoint("llama"), folder / "model")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        text = (model / name).read_text(encoding="utf-8")
        (model / name).write_text(text.replace("<|endoftext|>", END_OF_REASONING))
    path = model / "tokenizer_config.json"
    opened = CHAT_TEMPLATE.replace("assistant\n", "assistant\n<think>\n")
    template = f"{{# {END_OF_REASONING} #}}{opened}"
    path.write_text(json.dumps({**json.loads(path.read_text()), "chat_template": template}))
    with served(model, folder) as service:
        yield service


def request(constraint, prompt=HELLO, sampling=HOT, **fields):
    name = f"composed-{next(_numbers)}"
    fields = {"max_tokens": 600, **fields}
    return GenerationRequest(name, prompt, sampling, constraint=constraint, **fields)


async def answer(service, wanted):
    async with await service.generate(wanted) as generation:
        assert not generation.warnings
        return await collect(generation)


async def answers(service, requests):
    """Answer all requests, as many at a time as may wait."""
    room = asyncio.Semaphore(48)

    async def one(wanted):
        async with room:
            return await answer(service, wanted)

    return await asyncio.gather(*map(one, requests))


def compact(schema):
    return JsonSchema(schema, any_whitespace=False)


async def test_a_hundred_of_a_hundred_answers_are_valid(service):
    schemas = [schema for schema in BOUNDED for _ in range(10)]

    told = await answers(service, [request(compact(schema)) for schema in schemas])

    assert [one.reason for one in told] == [FinishReason.STOP] * 100
    pairs = zip(schemas, told, strict=True)
    assert [one.text for schema, one in pairs if not accepts(schema, json.loads(one.text))] == []


async def test_an_answer_to_any_schema_is_valid_or_the_beginning_of_a_valid_one(
    service, compile_constraint
):
    cases = [case for case in BATTERY if case.promise is Promise.ENFORCED]
    wanted = [request(JsonSchema(case.schema), max_tokens=40) for case in cases]

    told = await answers(service, wanted)

    for case, one in zip(cases, told, strict=True):
        if one.reason is FinishReason.STOP:
            assert accepts(case.schema, json.loads(one.text)), case.name
        else:
            begun = one.text.rstrip("\ufffd")  # a character may be cut
            assert "rejected" not in verdict(compile_constraint(JsonSchema(case.schema)), begun)
    assert sum(one.reason is FinishReason.STOP for one in told) > len(told) / 4


STRUCTURE = {ord(char) - ord("!"): -100.0 for char in '{}[]":,'}  # ids of printable bytes
FILTERS = {
    "the likeliest share of all": {"min_p": 1.0},
    "one candidate": {"top_k": 1},
    "many candidates": {"top_k": 200},
    "the least share of all": {"top_p": 1e-6},
    "no top choices": {"xtc_probability": 1.0, "xtc_threshold": 0.0},
    "a bias against all that is needed": {"logit_bias": STRUCTURE},
    "a bias for what is forbidden": {"logit_bias": {ord("x") - ord("!"): 100.0}},
    "penalties": {
        "repetition_penalty": 1e6,
        "repetition_context_size": 0,
        "presence_penalty": 1e4,
        "frequency_penalty": 1e4,
    },
    "rewards": {"repetition_penalty": 1e-6, "presence_penalty": -50, "frequency_penalty": -50},
    "great heat": {"temperature": 1e6},
    "no heat": {"temperature": 0.0},
    "a curve": {"tone_curve": ToneCurveChoice(enabled=True)},
    "a straight curve": {"tone_curve": ToneCurveChoice(enabled=True, shoulder=0, toe=0)},
    "a seed": {"seed": 7},
}
FILTERS["all at once"] = {
    key: value
    for name, fields in FILTERS.items()
    if "heat" not in name and "curve" not in name and "for" not in name
    for key, value in fields.items()
}


@pytest.mark.parametrize("name", FILTERS)
async def test_no_filter_leaves_nothing_or_lets_in_what_is_forbidden(name, service):
    sampling = SamplingChoice(**{"temperature": 1.5, **FILTERS[name]})

    told = await answers(service, [request(compact(SMALL), sampling=sampling) for _ in range(4)])

    for one in told:
        assert one.reason is FinishReason.STOP
        assert accepts(SMALL, json.loads(one.text))


async def test_log_probabilities_are_of_what_is_allowed(service):
    [one] = await answers(service, [request(Choice(("yes", "no")), logprobs=4)])

    first = one.logprobs[0]
    likely = {c.piece: c.logprob for c in first.top if c.logprob > -100}
    assert set(likely) == {"y", "n"}
    assert first.chosen.piece == one.text[0]


@pytest.mark.parametrize(
    ("stop", "ends"), [(('"name"',), '"ok":'), (("e,", "zz"), ":"), (("}",), ""), (("}}",), "}")]
)
async def test_a_stop_string_ends_an_answer_within_its_constraint(
    stop, ends, service, compile_constraint
):
    told = await answers(service, [request(compact(SMALL), stop=stop) for _ in range(4)])

    for one in told:
        assert one.reason is FinishReason.STOP
        assert not any(string in one.text for string in stop)
        assert "rejected" not in verdict(compile_constraint(compact(SMALL)), one.text)
        assert ends in one.text


@pytest.mark.parametrize("max_tokens", [1, 2, 7])
async def test_an_answer_that_is_cut_says_so(max_tokens, service, compile_constraint):
    [one] = await answers(service, [request(compact(SMALL), max_tokens=max_tokens)])

    assert one.reason is FinishReason.LENGTH
    assert one.usage.completion_tokens == max_tokens
    assert verdict(compile_constraint(compact(SMALL)), one.text) == "incomplete"


async def test_an_answer_of_just_as_many_tokens_is_not_cut(service):
    [one] = await answers(service, [request(Choice(("abc",)), max_tokens=3)])

    assert (one.text, one.reason) == ("abc", FinishReason.STOP)


async def test_raw_text_goes_on_as_asked(service):
    wanted = request(Regex("[0-9]{4}"), TextPrompt("The year "), max_tokens=9)

    [one] = await answers(service, [wanted])

    assert len(one.text) == 4 and one.text.isdecimal()


async def test_any_json_is_an_object_or_a_list(service):
    told = await answers(service, [request(AnyJson(), max_tokens=200) for _ in range(8)])

    ended = [one.text for one in told if one.reason is FinishReason.STOP]
    assert all(isinstance(json.loads(text), dict | list) for text in ended)
    assert all(one.text[0] in "{[" for one in told)


TOOLS = (
    tool("edit", {**EDIT, "properties": {name: {"maxLength": 4} for name in EDIT["properties"]}}),
    tool("pick", {"type": "object", "properties": {"n": {"enum": [1, 2]}}, "required": ["n"]}),
)


def offered(**choice):
    return ChatPrompt(HELLO.messages, tools=TOOLS, tool_choice=ToolChoice(**choice))


def fits_its_tool(call):
    [parameters] = [
        one["function"].get("parameters", {"type": "object"})
        for one in TOOLS
        if one["function"]["name"] == call.name
    ]
    return accepts(parameters, json.loads(call.arguments))


async def test_required_calls_are_made_and_fit_their_tools(service):
    prompt = offered(policy=CallPolicy.REQUIRED)

    told = await answers(service, [request(None, prompt) for _ in range(16)])

    calls = [call for one in told for call in one.tool_calls]
    assert [one.reason for one in told] == [FinishReason.TOOL_CALLS] * 16
    assert all(map(fits_its_tool, calls))
    assert len(calls) == 16
    assert len({call.name for call in calls}) > 1


async def test_a_required_call_of_one_tool_calls_that_one(service):
    prompt = offered(policy=CallPolicy.REQUIRED, name="pick")

    told = await answers(service, [request(None, prompt) for _ in range(4)])

    assert {call.name for one in told for call in one.tool_calls} == {"pick"}


async def test_with_tools_an_answer_fits_its_schema_or_is_a_call(service):
    schema = {"type": "object", "properties": {"n": {"enum": [1, 2, 3]}}, "required": ["n"]}

    told = await answers(service, [request(compact(schema), offered()) for _ in range(32)])

    answered = [one for one in told if not one.tool_calls]
    called = [call for one in told for call in one.tool_calls]
    assert all(accepts(schema, json.loads(one.text)) for one in answered)
    assert all(map(fits_its_tool, called))
    assert answered and called


async def test_the_constraint_begins_behind_the_reasoning(thinking_service):
    sampling = SamplingChoice(temperature=1.5, logit_bias={BYTES: 5.0})
    wanted = [request(compact(SMALL), sampling=sampling, max_tokens=800) for _ in range(16)]

    told = await answers(thinking_service, wanted)

    ended = [one for one in told if one.reason is FinishReason.STOP]
    assert all(accepts(SMALL, json.loads(one.text)) for one in ended)
    assert any(one.reasoning for one in ended)
    assert not any(END_OF_REASONING in one.text for one in told)
    assert len(ended) > 8


async def test_reasoning_that_is_cut_leaves_no_answer(thinking_service):
    sampling = SamplingChoice(temperature=1.5, logit_bias={BYTES: -100.0})

    [one] = await answers(
        thinking_service, [request(compact(SMALL), sampling=sampling, max_tokens=30)]
    )

    assert (one.text, one.reason) == ("", FinishReason.LENGTH)
    assert one.usage.reasoning_tokens == 30
