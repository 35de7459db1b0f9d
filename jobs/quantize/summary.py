"""What people read of a quantization that is done, as JSON, and what they should be warned of."""

import math
from collections import Counter
from typing import Any

from hub.local_model import LocalModel
from jobs.quantize.config import QuantizeConfig
from jobs.quantize.measures import Comparison
from jobs.quantize.plan import Plan
from jobs.quantize.subject import Subject

RESULT, PLAIN, SOURCE = "result", "plain", "source"
"""Names of measures: what was written, the same without rotation, what it was made of."""


def summarize(
    repo_id: str,
    request: QuantizeConfig,
    subject: Subject,
    plan: Plan,
    compared: Comparison,
    *,
    reference: str,
    size_bytes: int,
    warnings: list[str],
    seconds: float,
) -> dict[str, Any]:
    """Return the summary; a figure that is not finite is null."""
    result = compared.measures[RESULT]
    source = compared.measures.get(SOURCE)
    by_bits = Counter(width.bits for width in plan.values())
    summary: dict[str, Any] = {
        "repo_id": repo_id,
        "method": "mixed" if request.is_mixed else "uniform",
        "size_bytes": size_bytes,
        "bits_per_weight": round(8 * size_bytes / subject.survey.parameters, 4),
        "group_size": request.group_size,
        "reference": reference,
        "kl": _figure(result.kl),
        "agreement": round(result.agreement, 4),
        "perplexity": _figure(result.perplexity),
        "judged_tokens": compared.tokens,
        "source_perplexity": _figure(
            source.perplexity if source else compared.reference_perplexity
        ),
        "modules_by_bits": {str(bits): count for bits, count in sorted(by_bits.items())},
        "warnings": warnings,
        "seconds": round(seconds, 1),
    }
    if request.is_mixed:
        summary["layer_bits"] = {name: width.bits for name, width in plan.items()}
    if request.rotate_weights:
        plain = compared.measures[PLAIN]
        summary["rotation"] = {
            "seed": request.rotation_seed,
            "kl_without": _figure(plain.kl),
            "perplexity_without": _figure(plain.perplexity),
        }
    return summary


def warnings_of(source: LocalModel, subject: Subject, request: QuantizeConfig) -> list[str]:
    """What about a source or a request lessens the result."""
    survey = subject.survey
    found = []
    if survey.source_bits is not None:
        found.append(
            f"the source is quantized to {survey.source_bits} bits already: what that lost stays "
            "lost, and the original model gives a better result"
        )
    if source.weights.sees or source.weights.hears:
        found.append("only the language model is kept; pictures and sound are not")
    if survey.narrowed:
        found.append(
            f"groups of {request.group_size} do not divide the rows of {survey.narrowed} modules, "
            "which have smaller ones"
        )
    if survey.left:
        found.append(f"{survey.left} modules have rows that no group divides, and stay as they are")
    return found


def _figure(value: float) -> float | None:
    return float(f"{value:.6g}") if math.isfinite(value) else None
