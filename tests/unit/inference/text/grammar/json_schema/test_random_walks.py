"""Whatever a model says under the mask of a schema, it ends in JSON that the schema accepts."""

import json
import random

import jsonschema
import numpy as np
import pytest

from inference.constraint import GrammarNotEnforced, JsonSchema
from inference.engine.grammar.matcher import GrammarMatcher
from inference.text.grammar.source import write_grammar
from tests.plugins.grammar import STOP, VOCAB
from tests.plugins.random_schemas import random_schema

CLOSERS = frozenset([STOP, *b'"}]'])
MAX_TOKENS = 600


def walk(matcher: GrammarMatcher, numbers: random.Random) -> bytes:
    """Choose allowed bytes at random, those that end something more often."""
    answer = bytearray()
    while not matcher.is_done and len(answer) < MAX_TOKENS:
        bits = np.unpackbits(matcher.mask.view(np.uint8)[0], bitorder="little")[:VOCAB]
        allowed = np.flatnonzero(bits).tolist()
        closers = [token for token in allowed if token in CLOSERS]
        token = numbers.choice(closers if closers and numbers.random() < 0.3 else allowed)
        assert matcher.accept(token)
        if token == STOP:
            break
        answer.append(token)
    return bytes(answer)


@pytest.mark.parametrize("batch", range(10))
def test_a_random_walk_ends_in_valid_json(batch, byte_compiler):
    checked = 0
    for seed in range(batch * 30, batch * 30 + 30):
        numbers = random.Random(seed)
        schema = random_schema(numbers)
        source = write_grammar(JsonSchema(schema, any_whitespace=seed % 2 == 0))
        if isinstance(source, GrammarNotEnforced):
            assert source.reason == "no finite text satisfies it"
            continue
        if source.gaps:
            continue  # a listed list or object beside keywords that it is not checked for
        validator = jsonschema.Draft202012Validator(
            schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
        )
        matcher = byte_compiler.compile(source.ebnf).matcher()

        answer = walk(matcher, numbers)

        if matcher.is_complete:  # else it was cut at the limit
            validator.validate(json.loads(answer))
            checked += 1
    assert checked > 15
