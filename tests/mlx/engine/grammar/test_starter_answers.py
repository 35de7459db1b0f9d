"""A hundred of a hundred answers of a real model fit their schemas."""

import asyncio
import itertools
import json

import pytest

from hub.config import HubConfig
from inference.constraint import JsonSchema
from inference.events import FinishReason, collect
from inference.messages import Message, Role
from inference.model_service import build
from inference.options import ServeOptions
from inference.request import ChatPrompt, GenerationRequest, SamplingChoice
from tests.plugins.schema_battery.validator import accepts

pytestmark = [pytest.mark.starter, pytest.mark.slow]

_numbers = itertools.count()
ROWS = 50
QUESTION = "Yes or no, how many, and which?"
DIGIT = {"type": "integer", "minimum": 0, "maximum": 9}
# Answers of a few tokens each.
SCHEMAS = [
    {"type": "boolean"},
    {"enum": ["yes", "no", None]},
    DIGIT,
    {"type": "number", "enum": [0, 0.5, 1]},
    {"type": "string", "pattern": "^[a-z]{1,3}$"},
    {"type": "array", "items": {"type": "boolean"}, "minItems": 1, "maxItems": 2},
    {"type": "array", "items": {"enum": ["a", "b"]}, "uniqueItems": True},
    {"type": "array", "prefixItems": [DIGIT, {"const": "x"}], "items": False, "minItems": 2},
    {"type": "object", "properties": {"n": DIGIT}, "required": ["n"]},
    {"oneOf": [{"const": "why"}, {"type": "integer", "exclusiveMinimum": 9, "maximum": 99}]},
]


@pytest.fixture(scope="module")
def service(starter_model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("hub")
    hub = HubConfig(models_dir=folder, hf_cache_dir=folder)
    service = build(ServeOptions(model=str(starter_model), batch=ROWS), hub)
    yield service
    service.close()


async def answer(service, schema):
    wanted = GenerationRequest(
        f"starter-{next(_numbers)}",
        ChatPrompt((Message(Role.USER, QUESTION),)),
        SamplingChoice(temperature=1.2),
        max_tokens=40,
        constraint=JsonSchema(schema, any_whitespace=False),
    )
    async with await service.generate(wanted) as generation:
        assert not generation.warnings
        return await collect(generation)


async def test_a_hundred_of_a_hundred_answers_are_valid(service):
    schemas = [schema for schema in SCHEMAS for _ in range(10)]
    await answer(service, SCHEMAS[0])  # the others take its prompt from the cache
    half = len(schemas) // 2

    told = [
        one
        for part in (schemas[:half], schemas[half:])  # no more than may wait
        for one in await asyncio.gather(*(answer(service, schema) for schema in part))
    ]

    assert [one.reason for one in told] == [FinishReason.STOP] * len(schemas)
    pairs = zip(schemas, told, strict=True)
    assert [one.text for schema, one in pairs if not accepts(schema, json.loads(one.text))] == []
