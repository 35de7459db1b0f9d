"""Does a model fit this machine, how long may a context be, how fast will it be?

Pure functions over a `ModelShape` and sizes in bytes. `element_bytes` is the size of one
KV cache element: 2 for bfloat16, 4 for float32, `affine_element_bytes` for a quantized
cache; one for all layers, or one for each. Contexts are in tokens.
"""

from hub.kv_cost import ElementBytes, kv_cost
from hub.shape import ModelShape

USABLE_FRACTION = 0.75  # of RAM, when the operator gives no budget
COEXIST_FRACTION = 0.60  # of RAM, for a model that leaves room for other programs
CHUNK_TOKENS = 2048  # a prefill chunk; its activations are the transient memory
TRANSIENT_BYTES_PER_TOKEN = 550_000
BF16_BYTES = 2.0
# What a served model is to have room for, besides its weights: one sequence of this many
# tokens. A model with less would fail the answers that run while another is loaded.
SERVED_CONTEXT_TOKENS = 8192
DENSE_EFFICIENCY, MOE_EFFICIENCY = 0.82, 0.76  # of the memory bandwidth, while decoding


def affine_element_bytes(bits: int, group_size: int, number_bytes: float = BF16_BYTES) -> float:
    """Bytes of one element quantized in groups: its bits, and its share of scale and bias.

    number_bytes: of a scale, and of a bias.
    """
    return bits / 8 + 2 * number_bytes / group_size


def kv_bytes(shape: ModelShape, context: int, element_bytes: ElementBytes = BF16_BYTES) -> int:
    """Bytes that one sequence of `context` tokens keeps."""
    return kv_cost(shape, element_bytes).of(context)


def transient_bytes(context: int) -> int:
    """Bytes of activations while a prompt of `context` tokens is computed, chunk by chunk."""
    return min(CHUNK_TOKENS, context) * TRANSIENT_BYTES_PER_TOKEN


def total_bytes(
    shape: ModelShape, weight_bytes: int, context: int, element_bytes: ElementBytes = BF16_BYTES
) -> int:
    """Weights, the cache of one sequence, and activations."""
    return weight_bytes + kv_bytes(shape, context, element_bytes) + transient_bytes(context)


def weight_room(shape: ModelShape, usable: int, element_bytes: ElementBytes = BF16_BYTES) -> int:
    """What of `usable` bytes weights may take, so that a served context fits beside them."""
    context = min(SERVED_CONTEXT_TOKENS, shape.max_position_embeddings)
    return usable - total_bytes(shape, 0, context, element_bytes)


def usable_bytes(ram_bytes: int, budget_bytes: int | None = None) -> int:
    """What a model may take: the operator's budget if given, else three quarters of RAM."""
    return int(ram_bytes * USABLE_FRACTION) if budget_bytes is None else budget_bytes


def fits(
    shape: ModelShape,
    weight_bytes: int,
    context: int,
    usable: int,
    element_bytes: ElementBytes = BF16_BYTES,
) -> bool:
    """Whether the model and one sequence of `context` tokens stay within `usable` bytes."""
    return total_bytes(shape, weight_bytes, context, element_bytes) <= usable


def max_safe_context(
    shape: ModelShape, weight_bytes: int, usable: int, element_bytes: ElementBytes = BF16_BYTES
) -> int:
    """The longest context that fits in `usable` bytes; 0 when not even one token does.

    A whole chunk of activations is set aside whatever the answer, so below 2,048 tokens
    it errs on the small side. Never more than the model's own limit.
    """
    room = usable - (weight_bytes + transient_bytes(CHUNK_TOKENS))
    longest = kv_cost(shape, element_bytes).longest(room)
    return int(min(longest, shape.max_position_embeddings))


def decode_tokens_per_second(
    shape: ModelShape,
    weight_bytes: int,
    expert_bytes: int,
    context: int,
    *,
    bandwidth_gbps: float,
    element_bytes: ElementBytes = BF16_BYTES,
    overhead_seconds: float = 0.0,
) -> float:
    """Predict the decode rate of one sequence: every byte of a step is read once.

    expert_bytes: the part of the weights that lies in experts, of which a token reads only
        those it is routed to. bandwidth_gbps: decimal gigabytes a second.
    overhead_seconds: of a step, besides reading.
    0 for a model of which nothing is read, such as a scripted one.
    """
    idle = 0.0
    if shape.num_experts:
        idle = expert_bytes * (1 - shape.experts_per_token / shape.num_experts)
    efficiency = MOE_EFFICIENCY if shape.num_experts else DENSE_EFFICIENCY
    read = weight_bytes - idle + kv_bytes(shape, context, element_bytes)
    if read <= 0:
        return 0.0
    rate = bandwidth_gbps * 1e9 / read * efficiency
    return rate / (1 + rate * overhead_seconds)
