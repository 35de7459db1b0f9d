"""What a caller may ask of a quantization, checked field by field before the job begins."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from jobs.quantize.calibration_mix import DOMAINS, MIXED, parse_mix
from jobs.quantize.errors import InvalidField

WIDTHS = (2, 3, 4, 5, 6, 8)
"""Bits that MLX packs weights into."""
GROUP_SIZES = (32, 64, 128)
CANDIDATES = (2, 3, 4, 8)
SCALE_TYPES = ("auto", "bfloat16", "float16", "float32")
SAMPLES = 16
MAX_SAMPLES = 512
LARGEST_SEED = 2**32 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class QuantizeConfig:
    """A request.

    model_id: repo id, part of one, or folder. bits: of every layer, unless target_bpw is set.
    group_size: weights that share a scale and an offset.
    target_bpw: bits per weight of the whole file, scales and offsets counted in; each layer then
    gets a width of candidate_bits. reference: the model that divergence is measured against,
    None for the source. calibration_mix: domains of `DOMAINS` joined by commas, or `mixed`.
    n_calibration: rows of text that sensitivity is measured on; as many others judge the result.
    rotate_weights: whether a Hadamard rotation is folded in first, drawn from rotation_seed.
    scales: type of scales, offsets and whatever is not quantized. `auto` keeps bfloat16 and
    float16, and makes bfloat16 of float32.
    """

    model_id: str
    bits: int = 4
    group_size: int = 64
    target_bpw: float | None = None
    candidate_bits: tuple[int, ...] = CANDIDATES
    reference: str | None = None
    calibration_mix: tuple[str, ...] = DOMAINS
    n_calibration: int = SAMPLES
    rotate_weights: bool = False
    rotation_seed: int = 42
    scales: str = "auto"

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> Self:
        """Check a body; a field that is null counts as absent, an unknown one is ignored.

        Raises InvalidField with the field, its limits and the value.
        """
        given = {name: value for name, value in body.items() if value is not None}
        model_id = given.get("model_id")
        if not isinstance(model_id, str) or not model_id.strip():
            raise InvalidField("model_id required")
        config = cls(
            model_id=model_id.strip(),
            bits=_one_of(given, "bits", WIDTHS, 4),
            group_size=_one_of(given, "group_size", GROUP_SIZES, 64),
            target_bpw=_target(given),
            candidate_bits=_candidates(given),
            reference=_text(given, "reference") or None,
            calibration_mix=parse_mix(_text(given, "calibration_mix") or MIXED),
            n_calibration=_whole(given, "n_calibration", MAX_SAMPLES) or SAMPLES,
            rotate_weights=_flag(given, "rotate_weights"),
            rotation_seed=_whole(given, "rotation_seed", LARGEST_SEED, 42),
            scales=_one_of(given, "scales", SCALE_TYPES, "auto"),
        )
        config._require_reachable()
        return config

    @property
    def is_mixed(self) -> bool:
        return self.target_bpw is not None

    @property
    def suffix(self) -> str:
        """The end of the output's name, such as `4bit` or `mixed-4.5bpw-rot42`."""
        width = f"{self.bits}bit" if self.target_bpw is None else f"mixed-{self.target_bpw:g}bpw"
        return f"{width}-rot{self.rotation_seed}" if self.rotate_weights else width

    def _require_reachable(self) -> None:
        if self.target_bpw is None:
            return
        # A scale and an offset for each group.
        overhead = 2 * (32 if self.scales == "float32" else 16) / self.group_size
        least = min(self.candidate_bits) + overhead
        if self.target_bpw < least:
            raise InvalidField(
                f"target_bpw {self.target_bpw:g} cannot be reached: candidate_bits "
                f"{list(self.candidate_bits)} in groups of {self.group_size} take {least:g} at "
                f"least, scales counted in; ask for {least:g} or more, or for narrower candidates"
            )


def _one_of(given: Mapping[str, Any], name: str, allowed: tuple[Any, ...], default: Any) -> Any:
    value = given.get(name, default)
    if isinstance(value, bool) or value not in allowed:
        words = ", ".join(map(str, allowed))
        raise InvalidField(f"{name} must be one of {words}, not {_shown(value)}")
    return allowed[allowed.index(value)]  # 4.0 is 4


def _target(given: Mapping[str, Any]) -> float | None:
    value = given.get("target_bpw")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 2 <= value <= 16:
        raise InvalidField(f"target_bpw must be a number from 2 to 16, not {_shown(value)}")
    return round(float(value), 4)


def _candidates(given: Mapping[str, Any]) -> tuple[int, ...]:
    value = given.get("candidate_bits", CANDIDATES)
    if not isinstance(value, list | tuple) or not value:
        raise InvalidField(f"candidate_bits must be a list of widths, not {_shown(value)}")
    return tuple(
        sorted({_one_of({"candidate_bits": item}, "candidate_bits", WIDTHS, 4) for item in value})
    )


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name, "")
    if not isinstance(value, str):
        raise InvalidField(f"{name} must be text, not {_shown(value)}")
    return value.strip()


def _whole(given: Mapping[str, Any], name: str, largest: int, default: int = 0) -> int:
    value = given.get(name, default)
    if type(value) is not int or not 0 <= value <= largest:
        raise InvalidField(
            f"{name} must be a whole number from 0 to {largest}, not {_shown(value)}"
        )
    return value


def _flag(given: Mapping[str, Any], name: str) -> bool:
    value = given.get(name, False)
    if not isinstance(value, bool):
        raise InvalidField(f"{name} must be true or false, not {_shown(value)}")
    return value


def _shown(value: object) -> str:
    return repr(value)[:60]
