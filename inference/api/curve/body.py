"""What the curve designer sends, read field by field."""

import math
import time
from dataclasses import dataclass
from typing import Any

from inference.api.json_body import read_object
from inference.errors import InvalidRequest
from inference.transfer_curve import TransferCurve

MOST_POINTS = 64
MOST_PERCENT = 1000
MOST_SAMPLES, SAMPLES = 8, 3
MOST_TOKENS, TOKENS = 256, 80


class BadBody(Exception):
    """The text is the answer's `error`."""


@dataclass(frozen=True, slots=True)
class GenerateBody:
    """curve: None for the model's own way of drawing. seed: of the first sample."""

    prompt: str
    curve: TransferCurve | None
    n: int
    max_tokens: int
    seed: int


def read_json(raw: bytes) -> dict[str, Any]:
    """Parse a body; raises BadBody."""
    try:
        return read_object(raw)
    except InvalidRequest as error:
        raise BadBody("invalid JSON") from error


def read_prompt(body: dict[str, Any]) -> str:
    prompt = body.get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        raise BadBody("prompt required")
    return prompt


def read_generate(body: dict[str, Any]) -> GenerateBody:
    """Read what to generate; counts out of range are brought into it. Raises BadBody."""
    return GenerateBody(
        prompt=read_prompt(body),
        curve=None if body.get("default") is True else _curve(body.get("curve")),
        n=_count(body.get("n"), SAMPLES, MOST_SAMPLES),
        max_tokens=_count(body.get("max_tokens"), TOKENS, MOST_TOKENS),
        seed=_seed(body.get("seed")),
    )


def _curve(value: Any) -> TransferCurve | None:
    points = value.get("points") if isinstance(value, dict) else None
    if not isinstance(points, list) or len(points) < 2:
        return None
    if len(points) > MOST_POINTS:
        raise BadBody(f"curve has {len(points)} points, and {MOST_POINTS} are allowed")
    try:
        return TransferCurve.through(_point(point) for point in points)
    except ValueError as error:
        raise BadBody(str(error)) from error


def _point(value: Any) -> tuple[float, float]:
    point = value if isinstance(value, dict) else {}
    return _percent(point.get("x_pct")), _percent(point.get("y_pct"))


def _percent(value: Any) -> float:
    if not _is_number(value) or not 0 <= value <= MOST_PERCENT:
        raise BadBody("each point of a curve needs x_pct and y_pct, numbers of percent")
    return float(value)


def _count(value: Any, default: int, most: int) -> int:
    return min(most, max(1, math.floor(value))) if _is_number(value) else default


def _seed(value: Any) -> int:
    return (int(value) if _is_number(value) else time.time_ns()) % 2**32


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
