"""The starter model's greedy answers are mlx_lm's, in whatever way they are computed.

Its steps take a tenth of a second, so the hundred prompts are shared out among the ways, and
one pass of the model over each answer says whether every token was the likeliest; mlx_lm's
own loop answers some of them.
"""

import mlx.core as mx
import pytest

from hub.density import WeightsOption
from inference.engine.loader import load
from inference.engine.model_runner import ModelRunner
from tests.plugins.step_loop import CHUNKS, StepLoop, make_sequence, reference

pytestmark = [pytest.mark.starter, pytest.mark.slow]

MAX_TOKENS = 8
ROOMY = 1 << 30
SUBJECTS = (
    *("the sea", "rust", "a fox", "winter", "prime numbers", "tea", "Rome", "glass", "sleep"),
    *("maps", "bees", "the moon", "bread", "rivers", "clocks", "paper", "a violin", "salt"),
    *("chess", "the wind", "iron", "kites", "wool", "a lighthouse", "dust"),
)
TEXTS = ("Everything that I know about {} is", "{}? She said that", "Why is {}", "Once {} was")
NUM_CHATS = 8


@pytest.fixture(scope="module")
def model(starter_model):
    return load(starter_model, WeightsOption.AUTO, 8 * 10**9).model


@pytest.fixture(scope="module")
def prompts(starter_model):
    """A hundred; the last ones go through the chat template and begin alike."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(starter_model)
    texts = [text.format(subject) for subject in SUBJECTS for text in TEXTS]
    return [tokenizer.encode(text) for text in texts[:-NUM_CHATS]] + [
        tokenizer.apply_chat_template(
            [{"role": "user", "content": text}], add_generation_prompt=True, return_dict=False
        )
        for text in texts[-NUM_CHATS:]
    ]


def are_greedy(model, prompts, answers):
    """Tell whether every token of every answer is the likeliest after those before it."""
    pairs = list(zip(prompts, answers, strict=True))
    return all(_are_greedy(model, pairs[at : at + 8]) for at in range(0, len(pairs), 8))


def _are_greedy(model, pairs):
    rows = [[*prompt, *answer] for prompt, answer in pairs]
    width = max(len(row) for row in rows)
    # What comes after a token changes nothing in it, so rows may be padded on the right.
    logits = model(mx.array([row + [0] * (width - len(row)) for row in rows]))
    best = mx.argmax(logits, axis=-1).tolist()
    return all(
        after[len(prompt) - 1 : len(prompt) - 1 + len(answer)] == answer
        for after, (prompt, answer) in zip(best, pairs, strict=True)
    )


@pytest.mark.parametrize("chunk", CHUNKS)
def test_eight_at_a_time(chunk, model, prompts):
    part = prompts[CHUNKS.index(chunk) :: len(CHUNKS)]
    loop = StepLoop(ModelRunner(model, 0), chunk=chunk)

    answers = loop.answer_staggered(part, MAX_TOKENS)

    assert all(len(answer) == MAX_TOKENS for answer in answers)
    assert are_greedy(model, part, answers)
    own = range(0, len(part), 12)
    assert [answers[i] for i in own] == [reference(model, part[i], MAX_TOKENS) for i in own]


@pytest.mark.parametrize("chunk", CHUNKS)
def test_alone(chunk, model, prompts):
    part = prompts[CHUNKS.index(chunk) :: 33]
    loop = StepLoop(ModelRunner(model, 0), chunk=chunk)

    answers = [loop.answer(prompt, MAX_TOKENS) for prompt in part]

    assert are_greedy(model, part, answers)


def test_with_a_warm_prefix_cache_and_in_the_next_turn(model, prompts):
    chats = prompts[-NUM_CHATS:]
    loop = StepLoop(ModelRunner(model, ROOMY))
    cold = loop.answer_staggered(chats, MAX_TOKENS)
    turns = [[*c, *a, *prompts[0]] for c, a in zip(chats, cold, strict=True)]
    hits = loop.runner.stats().cache_hits

    warm = loop.answer_staggered(chats, MAX_TOKENS)
    sequences = [make_sequence(turn, MAX_TOKENS) for turn in turns]
    next_turn = loop.answer_all(sequences)

    assert are_greedy(model, chats, cold)
    assert warm == cold
    assert are_greedy(model, turns, next_turn)
    assert loop.runner.stats().cache_hits == hits + len(chats) + len(turns)
    assert all(s.num_cached > len(c) for s, c in zip(sequences, chats, strict=True))
