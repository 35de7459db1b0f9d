"""Whatever a model says under the mask of a schema, it ends in JSON that the schema accepts."""

import json
import random

import pytest

from inference.constraint import GrammarNotEnforced, JsonSchema
from inference.text.grammar.source import write_grammar
from tests.plugins.grammar import random_walk
from tests.plugins.random_schemas import random_schema
from tests.plugins.schema_battery.validator import accepts


@pytest.mark.parametrize("batch", range(10))
def test_a_random_walk_ends_in_valid_json(batch, byte_compiler):
    checked = 0
    for seed in range(batch * 40, batch * 40 + 40):
        numbers = random.Random(seed)
        schema = random_schema(numbers)
        source = write_grammar(JsonSchema(schema, any_whitespace=seed % 2 == 0))
        if isinstance(source, GrammarNotEnforced):
            assert source.reason == "no finite text satisfies it"
            continue
        if source.gaps:
            continue
        compiled = byte_compiler.compile(source.ebnf)

        answer, is_complete = random_walk(compiled, numbers)

        if is_complete:  # else it was cut at the limit
            assert accepts(schema, json.loads(answer)), (schema, answer)
            checked += 1
    assert checked > 15
