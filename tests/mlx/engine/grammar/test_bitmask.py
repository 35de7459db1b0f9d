"""Masks on the device, against numpy."""

import mlx.core as mx
import numpy as np
import pytest

from inference.constraint import Choice, JsonSchema
from inference.engine.grammar.bitmask import apply_bitmask, batch_bitmask
from inference.engine.grammar.matcher import num_words
from tests.plugins.grammar import STOP, VOCAB

SIZES = [(1, 32), (3, 33), (2, 259), (1, 31), (4, 1000), (8, 49_152)]


def random_masks(rows, vocab_size):
    numbers = np.random.default_rng(rows * vocab_size)
    shape = (rows, num_words(vocab_size))
    return numbers.integers(-(2**31), 2**31, shape, dtype=np.int64).astype(np.int32)


def allowed_in(masks, vocab_size):
    bits = np.unpackbits(masks.view(np.uint8), axis=1, bitorder="little")
    return bits[:, :vocab_size].astype(bool)


@pytest.mark.parametrize("dtype", [mx.float32, mx.bfloat16, mx.float16])
@pytest.mark.parametrize(("rows", "vocab_size"), SIZES)
def test_masked_logits_are_those_of_the_reference(rows, vocab_size, dtype):
    masks = random_masks(rows, vocab_size)
    logits = mx.random.normal((rows, vocab_size), key=mx.random.key(1)).astype(dtype)

    masked = apply_bitmask(logits, masks)

    plain = np.array(logits.astype(mx.float32))
    expected = np.where(allowed_in(masks, vocab_size), plain, -np.inf)
    assert masked.dtype == dtype
    assert np.array_equal(np.array(masked.astype(mx.float32)), expected)


def test_allowed_logits_keep_every_bit():
    odd = [0.0, -0.0, 1e-40, -1e38, float("inf"), float("-inf"), 3.1415927, -7.0]
    logits = mx.array([odd], dtype=mx.float32)

    kept = apply_bitmask(logits, np.full((1, 1), -1, dtype=np.int32))
    masked = apply_bitmask(logits, np.zeros((1, 1), dtype=np.int32))

    assert np.array(kept).tobytes() == np.array(logits).tobytes()
    assert np.all(np.array(masked) == -np.inf)


def test_rows_without_a_constraint_are_left_alone(compile_constraint):
    matcher = compile_constraint(Choice(("yes", "no"))).matcher()
    logits = mx.random.normal((3, VOCAB), key=mx.random.key(2))

    masks = batch_bitmask([None, matcher, None], VOCAB)
    masked = np.array(apply_bitmask(logits, masks))

    plain = np.array(logits)
    assert np.array_equal(masked[[0, 2]], plain[[0, 2]])
    finite = np.flatnonzero(np.isfinite(masked[1]))
    assert finite.tolist() == [ord("n"), ord("y")]
    assert np.array_equal(masked[1, finite], plain[1, finite])


def test_a_batch_without_constraints_has_no_masks():
    assert batch_bitmask([None, None], VOCAB) is None


def test_logits_wider_than_the_tokenizer_end_in_padding(compile_constraint):
    matcher = compile_constraint(JsonSchema(True)).matcher()
    # Padding of an untrained model may have the highest logits of all.
    logits = mx.concatenate([mx.zeros((1, VOCAB - 2)), mx.full((1, 2), 50.0)], axis=1)

    masked = apply_bitmask(logits, batch_bitmask([matcher], VOCAB))

    assert mx.argmax(masked).item() < STOP


def random_answer(compiled, key, max_tokens=200):
    """Draw an answer from random logits, as the engine would."""
    matcher, answer = compiled.matcher(), bytearray()
    while not matcher.is_done and len(answer) < max_tokens:
        key, draw = mx.random.split(key)
        logits = mx.random.normal((1, VOCAB), key=draw) * 10
        masked = apply_bitmask(logits, batch_bitmask([matcher], VOCAB))
        token = mx.argmax(masked).item()
        assert matcher.accept(token)
        if token == STOP:
            break
        answer.append(token)
    return matcher, bytes(answer)


def test_random_logits_give_a_valid_answer(compile_constraint):
    """Public case so-07: only masking can make a random model answer as asked."""
    schema = {
        "type": "object",
        "properties": {"ok": {"type": "boolean"}, "reason": {"enum": ["physics", "other"]}},
        "required": ["ok", "reason"],
        "additionalProperties": False,
    }
    compiled = compile_constraint(JsonSchema(schema, any_whitespace=False))

    answers = {random_answer(compiled, mx.random.key(seed))[1] for seed in range(12)}

    assert answers <= {
        f'{{"ok":{ok},"reason":"{reason}"}}'.encode()
        for ok in ("true", "false")
        for reason in ("physics", "other")
    }
    assert len(answers) > 1
