"""What a request leaves open, decided by flags, author and fallback in turn."""

import pytest

from inference.defaults import RequestDefaults
from inference.messages import Message, Role
from inference.model_info import GenerationDefaults
from inference.request import ChatPrompt, SamplingChoice

QWEN = "{{ enable_thinking }} {{ reasoning_effort }}"


def defaults(*, sampling=None, thinking=None, template=QWEN, model_type="qwen3"):
    return RequestDefaults(sampling or GenerationDefaults(), thinking, template, model_type)


def chat(**fields):
    return ChatPrompt((Message(Role.USER, "hi"),), **fields)


@pytest.mark.parametrize(
    ("asked", "flag", "model_type", "expected"),
    [
        (None, None, "qwen3", None),
        (None, True, "qwen3", True),
        (False, True, "qwen3", False),
        (True, False, "qwen3", True),
        (None, None, "minicpm5", False),
        (None, True, "minicpm5", True),
    ],
)
def test_thinking_is_the_requests_the_flags_or_the_models(asked, flag, model_type, expected):
    made = defaults(thinking=flag, model_type=model_type)

    assert made.decide_thinking(chat(thinking=asked)) is expected


def test_the_template_hears_of_thinking_and_of_its_depth():
    completed = defaults(thinking=True).complete(chat(effort="low", template_options={"a": 1}))

    assert completed.template_options == {
        "enable_thinking": True,
        "reasoning_effort": "low",
        "a": 1,
    }


def test_a_template_option_of_the_caller_goes_first():
    own = {"reasoning_effort": "custom"}

    assert defaults().complete(chat(effort="high", template_options=own)).template_options == own


@pytest.mark.parametrize(
    ("asked", "author", "thinking", "expected"),
    [
        (None, 1.0, False, 0.7),
        (None, 0.3, False, 0.3),
        (None, 1.0, True, 1.0),
        (None, 1.0, None, 1.0),
        (1.5, 1.0, False, 1.5),
        (None, None, True, 0.7),
    ],
)
def test_a_turn_without_thinking_is_drawn_no_hotter_than_asked(asked, author, thinking, expected):
    made = defaults(sampling=GenerationDefaults(temperature=author))

    params = made.choose_sampling(SamplingChoice(temperature=asked), thinking=thinking)

    assert params.temperature == expected


def test_every_request_has_a_seed_of_its_own_unless_it_names_one():
    made = defaults()

    seeds = {made.choose_sampling(SamplingChoice(), thinking=None).seed for _ in range(5)}

    assert len(seeds) == 5
    assert made.choose_sampling(SamplingChoice(seed=7), thinking=None).seed == 7
