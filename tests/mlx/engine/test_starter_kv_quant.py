"""What few bits cost the starter model: its attention's outputs, its logits and its answers."""

import mlx.core as mx
import pytest
from mlx_lm.models import llama

from hub.density import WeightsOption
from inference.engine.cache.quantized.codecs import Affine, Rotated
from inference.engine.cache.scheme import BF16, KvScheme, affine, turbo
from inference.engine.loader import load
from inference.engine.model_runner import ModelRunner
from tests.plugins.step_loop import StepLoop, make_sequence

pytestmark = [pytest.mark.starter, pytest.mark.slow]

TEXT = (
    "A cook who reads a recipe for the first time should read it twice: once for the "
    "ingredients, and once for the order in which they meet. In 1969, three men flew to the Moon"
)
# Mean KL divergence from bf16 over the tokens of TEXT, in nats: about twice what was measured.
AFFINE = {8: 0.002, 4: 0.4}
TURBO = {8: 0.002, 5: 0.01, 3: 0.1, 2: 0.6}  # bits of values; keys have 8
QUESTIONS = ("The capital of France is", "Once upon a time, a fox")
ANSWER = 10


@pytest.fixture(scope="module")
def model(starter_model):
    return load(starter_model, WeightsOption.AUTO, 8 * 10**9).model


@pytest.fixture(scope="module")
def encode(starter_model):
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(starter_model).encode


def scheme(model, layer):
    return KvScheme(layer.name, layer.name, batches=False, formats=(layer,) * len(model.layers))


@pytest.fixture(scope="module")
def score(model, encode):
    """Return the mean KL divergence from bf16 of a layer format, used in all layers."""
    tokens = mx.array([encode(TEXT)])

    def log_probs(scheme):
        logits = model(tokens, cache=scheme.make_caches(model))[0]
        return logits - mx.logsumexp(logits, axis=-1, keepdims=True)

    expected = log_probs(BF16)

    def score(layer):
        ours = log_probs(scheme(model, layer))
        return mx.sum(mx.exp(expected) * (expected - ours), axis=-1).mean().item()

    return score


@pytest.fixture(scope="module")
def attended(model, encode):
    """Queries, keys, values and masks of every layer, over TEXT."""
    calls = []
    original = llama.scaled_dot_product_attention

    def note(queries, keys, values, **more):
        calls.append((queries, keys, values, more["scale"]))
        return original(queries, keys, values, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(llama, "scaled_dot_product_attention", note)
        mx.eval(model(mx.array([encode(TEXT)]), cache=BF16.make_caches(model)))
    return calls


def attention_error(attended, keys_codec, values_codec):
    """Return the mean relative error of the layers' attention with both coded."""
    errors = []
    for queries, keys, values, scale in attended:
        coded = [
            codec.decode(codec.encode(given))
            for codec, given in ((keys_codec, keys), (values_codec, values))
        ]
        right, ours = (
            mx.fast.scaled_dot_product_attention(queries, k, v, scale=scale, mask="causal")
            for k, v in ((keys, values), coded)
        )
        errors.append(mx.linalg.norm(ours - right) / mx.linalg.norm(right))
    return mx.mean(mx.stack(errors)).item()


def test_affine_codes_stay_near_the_unquantized_model(score):
    measured = {bits: score(affine(bits, 64)) for bits in AFFINE}

    assert all(kl <= AFFINE[bits] for bits, kl in measured.items()), measured
    assert measured[8] < measured[4]


def test_turbo_loses_less_with_every_bit(score):
    measured = {bits: score(turbo(8, bits)) for bits in TURBO}

    assert all(kl <= TURBO[bits] for bits, kl in measured.items()), measured
    assert list(measured.values()) == sorted(measured.values())


def test_attention_loses_less_with_every_bit(attended):
    of_values = [attention_error(attended, Affine(8, 64), Rotated(b)) for b in (2, 3, 4, 5, 8)]
    of_keys = [attention_error(attended, Affine(b, 64), Rotated(8)) for b in (2, 4, 5, 8)]

    assert of_values == sorted(of_values, reverse=True)
    assert of_keys == sorted(of_keys, reverse=True)
    assert of_values[-1] < 0.02


@pytest.mark.parametrize("question", QUESTIONS)
def test_eight_bits_choose_tokens_that_are_likeliest_or_nearly(question, model, encode):
    prompt = encode(question)
    runner = ModelRunner(model, 0, scheme=scheme(model, affine(8, 64)), max_rows=1)
    (answer,) = StepLoop(runner, max_running=1).answer_all([make_sequence(prompt, ANSWER)])

    logits = model(mx.array([[*prompt, *answer]]))[0, len(prompt) - 1 : -1]
    chosen = mx.take_along_axis(logits, mx.array(answer)[:, None], axis=-1)[:, 0]
    short = mx.max(logits, axis=-1) - chosen  # of the likeliest, in nats

    assert mx.max(short).item() < 0.1
