"""The starter model's greedy answers are mlx_lm's, in whatever way they are computed."""

import pytest

from inference.engine.backend import WeightsOption
from inference.engine.loader import load
from inference.engine.model_runner import ModelRunner
from tests.plugins.step_loop import CHUNKS, StepLoop, make_sequence, reference

pytestmark = [pytest.mark.starter, pytest.mark.slow]

MAX_TOKENS = 8
ROOMY = 1 << 30
SUBJECTS = (
    *("the sea", "rust", "a fox", "winter", "prime numbers", "tea", "Rome", "glass", "sleep"),
    *("maps", "bees", "the moon", "bread", "rivers", "clocks"),
)
TEXTS = ("Everything that I know about {} is", "{}? She said that")


@pytest.fixture(scope="module")
def model(starter_model):
    return load(starter_model, WeightsOption.AUTO, 8 * 10**9).model


@pytest.fixture(scope="module")
def prompts(starter_model):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(starter_model)
    texts = [text.format(subject) for text in TEXTS for subject in SUBJECTS]
    # A third goes through the chat template, whose system prompt is most of their length.
    return [tokenizer.encode(text) for text in texts[10:]] + [
        tokenizer.apply_chat_template(
            [{"role": "user", "content": text}], add_generation_prompt=True, return_dict=False
        )
        for text in texts[:10]
    ]


@pytest.fixture(scope="module")
def answers(model, prompts):
    return [reference(model, prompt, MAX_TOKENS) for prompt in prompts]


@pytest.mark.parametrize("chunk", CHUNKS)
def test_alone(chunk, model, prompts, answers):
    loop = StepLoop(ModelRunner(model, 0), chunk=chunk)
    # A third of the prompts for each size: every prompt with every size would take minutes.
    chosen = range(CHUNKS.index(chunk), len(prompts), len(CHUNKS))

    outputs = [loop.answer(prompts[index], MAX_TOKENS) for index in chosen]

    assert outputs == [answers[index] for index in chosen]


@pytest.mark.parametrize("chunk", CHUNKS)
def test_eight_at_a_time(chunk, model, prompts, answers):
    loop = StepLoop(ModelRunner(model, 0), chunk=chunk)

    assert loop.answer_staggered(prompts, MAX_TOKENS) == answers


def test_eight_at_a_time_with_a_warm_prefix_cache_and_in_the_next_turn(model, prompts, answers):
    chats, expected = prompts[-8:], answers[-8:]
    turns = [[*c, *a, *prompts[0]] for c, a in zip(chats[:4], expected[:4], strict=True)]
    loop = StepLoop(ModelRunner(model, ROOMY))
    loop.answer_staggered(chats, 2)
    hits = loop.runner.stats().cache_hits

    warm = loop.answer_staggered(chats, MAX_TOKENS)
    sequences = [loop.add(make_sequence(turn, MAX_TOKENS)) for turn in turns]
    loop.run()

    assert warm == expected
    assert loop.runner.stats().cache_hits == hits + len(chats) + len(turns)
    assert [s.output for s in sequences] == [reference(model, t, MAX_TOKENS) for t in turns]
    assert all(s.num_cached > len(c) for s, c in zip(sequences, chats, strict=False))
