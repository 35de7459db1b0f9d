"""What a real model's runner adds to a trace: its own parts of the first steps."""

import json

import pytest

from inference.engine.model_runner import ModelRunner
from inference.trace import Outcome, Trace
from tests.plugins.step_loop import StepLoop, make_sequence

PROMPT = list(range(1, 81))


@pytest.fixture
def events_of(tiny_model):
    """Run prompts side by side, the first of them traced; return the events of its record."""

    def run(*prompts, cache_bytes=1 << 20):
        loop = StepLoop(ModelRunner(tiny_model("llama").model, cache_bytes), chunk=32)
        lines = []
        sequences = [make_sequence(prompt, 4) for prompt in prompts]
        trace = Trace(trace_id="t", request_id="r", route="/", write=lines.append)
        sequences[0].trace = trace
        for sequence in sequences:
            loop.add(sequence)
        loop.run()
        trace.finish(Outcome.SUCCESS)
        return json.loads(lines[0].removeprefix("[p2r] "))["events"]

    return run


def phases(events):
    return sorted(event["phase"] for event in events)


def test_a_prompt_worth_keeping_is_stored_joined_and_answered(events_of):
    assert phases(events_of(PROMPT)) == [
        "prefill.batch_setup",
        "prefill.kv_maintenance",
        "token_zero.forward",
        "token_zero.sample",
    ]


def test_a_short_prompt_is_not_stored(events_of):
    assert phases(events_of([1, 2, 3])) == [
        "prefill.batch_setup",
        "token_zero.forward",
        "token_zero.sample",
    ]


def test_the_parts_of_a_shared_step_are_told_once(events_of):
    assert phases(events_of([1, 2, 3], [4, 5], PROMPT)) == phases(events_of([1, 2, 3]))
