"""Which requests have the same answer: equal keys for those, and for no others."""

from dataclasses import replace

import pytest

from inference.constraint import AnyJson
from inference.engine.sequence import Sequence
from inference.generation_key import generation_key
from inference.messages import Message, Role
from inference.request import (
    CallPolicy,
    ChatPrompt,
    GenerationRequest,
    SamplingChoice,
    SamplingParams,
    ToneCurve,
    ToolChoice,
)

CHAT = ChatPrompt((Message(Role.USER, "hi"),))
REQUEST = GenerationRequest("first", CHAT)
SEQUENCE = Sequence("first", [1, 2, 3], SamplingParams(seed=7), 10, frozenset({0, 5}))


def key(request=REQUEST, **changes):
    return generation_key(request, replace(SEQUENCE, **changes))


def test_another_request_for_the_same_has_the_same_key():
    assert key(replace(REQUEST, id="second"), id="second") == key()
    assert len(key()) == 32


def test_a_seed_that_was_drawn_makes_no_difference():
    assert key(sampling=SamplingParams(seed=8)) == key()


@pytest.mark.parametrize(
    "changes",
    [
        {"prompt": [1, 2, 4]},
        {"sampling": SamplingParams(temperature=0.1)},
        {"sampling": SamplingParams(logit_bias={3: 1.0})},
        {"sampling": SamplingParams(tone_curve=ToneCurve())},
        {"max_tokens": 11},
        {"stop_token_ids": frozenset({0})},
        {"logprobs": 2},
        {"matcher": object()},
        {"namespace": "poet"},
        {"serial": True},
    ],
    ids="-".join,
)
def test_whatever_the_tokens_depend_on_makes_one(changes):
    assert key(**changes) != key()


@pytest.mark.parametrize(
    "request_",
    [
        replace(REQUEST, stop=("end",)),
        replace(REQUEST, constraint=AnyJson()),
        replace(REQUEST, sampling=SamplingChoice(seed=7)),
        replace(REQUEST, prompt=replace(CHAT, tools=({"type": "function"},))),
        replace(REQUEST, prompt=replace(CHAT, tool_choice=ToolChoice(CallPolicy.REQUIRED))),
    ],
    ids=["stop", "constraint", "seed", "tools", "tool choice"],
)
def test_so_does_what_the_caller_asked_for(request_):
    assert key(request_) != key()


def test_the_order_of_a_bias_does_not():
    biases = {1: 0.5, 2: 0.25}, {2: 0.25, 1: 0.5}

    first, second = (key(sampling=SamplingParams(logit_bias=bias)) for bias in biases)

    assert first == second
