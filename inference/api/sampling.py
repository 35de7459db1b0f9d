"""The sampling fields, which every protocol spells alike: read once, for all of them."""

from collections.abc import Mapping
from typing import Any

from inference.api.json_body import boolean, finite_float, integer, json_object, number
from inference.errors import InvalidRequest
from inference.request import SamplingChoice, ToneCurveChoice

MAX_SEED = 2**64 - 1


def sampling_choice(body: Mapping[str, Any]) -> SamplingChoice:
    """Check the sampling fields of a body; raises InvalidRequest naming the first at fault.

    That a biased token exists only the model's vocabulary can tell: the service checks it.
    """
    return SamplingChoice(
        logit_bias=_logit_bias(body.get("logit_bias")),
        repetition_penalty=_repetition_penalty(body),
        repetition_context_size=integer(body, "repetition_context_size", at_least=0),
        presence_penalty=number(body, "presence_penalty"),
        presence_context_size=integer(body, "presence_context_size", at_least=0),
        frequency_penalty=number(body, "frequency_penalty"),
        frequency_context_size=integer(body, "frequency_context_size", at_least=0),
        top_p=number(body, "top_p", at_least=0, at_most=1),
        min_p=number(body, "min_p", at_least=0, at_most=1),
        xtc_probability=number(body, "xtc_probability", at_least=0, at_most=1),
        xtc_threshold=number(body, "xtc_threshold", at_least=0, at_most=0.5),
        top_k=integer(body, "top_k", at_least=0),
        temperature=number(body, "temperature", at_least=0),
        tone_curve=_tone_curve(body),
        seed=_seed(body),
    )


def _tone_curve(body: Mapping[str, Any]) -> ToneCurveChoice | None:
    if body.get("hlg") is None:
        return None
    curve = json_object(body, "hlg")

    def nats(name: str) -> float | None:
        return number(curve, name, at_least=0, at_most=100)

    return ToneCurveChoice(
        enabled=boolean(curve, "enabled", default=None),
        width=nats("width"),
        shoulder=nats("shoulder"),
        toe=nats("toe"),
        pivot_offset=nats("pivot_offset"),
    )


def _seed(body: Mapping[str, Any]) -> int | None:
    seed = integer(body, "seed", at_least=-(2**63), at_most=MAX_SEED)
    return None if seed is None else seed & MAX_SEED


def _repetition_penalty(body: Mapping[str, Any]) -> float | None:
    penalty = number(body, "repetition_penalty", at_least=0)
    # 0 is how mlx_lm spells "off"; as a divisor, off is 1.
    return 1.0 if penalty == 0 else penalty


def _logit_bias(value: object) -> Mapping[int, float] | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise _no_bias()
    bias = {_token_id(key): _bias(item) for key, item in value.items()}
    if bias and (lowest := min(bias)) < 0:
        raise InvalidRequest(f"logit_bias has token id {lowest}, but ids start at 0", "logit_bias")
    return bias


def _token_id(key: str) -> int:
    try:
        return int(key)
    except ValueError as error:
        raise _no_bias() from error


def _bias(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise _no_bias()
    if (bias := finite_float(value)) is None:
        raise InvalidRequest("logit_bias must have finite numbers", "logit_bias")
    return bias


def _no_bias() -> InvalidRequest:
    return InvalidRequest("logit_bias must be a dict of int to float", "logit_bias")
