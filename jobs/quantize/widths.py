"""Decides the width of each module: one for all, or by sensitivity within a size."""

from collections.abc import Mapping, Sequence

from jobs.quantize.allocation import Choices, allocate
from jobs.quantize.config import QuantizeConfig
from jobs.quantize.errors import QuantizeError
from jobs.quantize.plan import Plan, Target, Width
from jobs.quantize.progress import Tell
from jobs.quantize.sensitivity import SensitivitySweep
from jobs.quantize.subject import Subject


def decide(
    subject: Subject,
    request: QuantizeConfig,
    rows: Sequence[Sequence[int]],
    tell: Tell,
) -> Plan:
    """Return the plan that a request asks for.

    rows: calibration text as token ids. tell: called with the share of the sweep that is done.
    Raises QuantizeError if the target cannot be met.
    """
    if request.target_bpw is None:
        return subject.survey.uniform(request.bits)
    budget = budget_bytes(subject, request.target_bpw, request.candidate_bits)
    targets = subject.survey.targets
    open_to_choice = {name: t for name, t in targets.items() if t.fixed_bits is None}
    sweep = SensitivitySweep(
        subject.open(), open_to_choice, request.candidate_bits, subject.vocabulary
    )
    harm = sweep.run(rows, tell)
    chosen = allocate(
        {name: _choices(name, t, harm, request.candidate_bits) for name, t in targets.items()},
        budget,
    )
    if chosen is None:  # modules that no text reaches keep the widest candidate
        raise QuantizeError(
            f"target_bpw {request.target_bpw:g} leaves too little for modules that the "
            "calibration text does not reach: raise it, or use the mixed calibration text"
        )
    return {name: Width(bits, targets[name].group_size) for name, bits in chosen.items()}


def budget_bytes(subject: Subject, target_bpw: float, candidates: Sequence[int]) -> int:
    """What the modules may take together; raises QuantizeError if they cannot take so little."""
    survey = subject.survey
    budget = int(target_bpw * survey.parameters / 8) - survey.other_bytes
    least = survey.uniform(min(candidates))
    if survey.size_bytes(least) - survey.other_bytes > budget:
        raise QuantizeError(
            f"target_bpw {target_bpw:g} cannot be reached: with {min(candidates)} bits everywhere "
            f"this model has {survey.bits_per_weight(least):.3f}, scales and unquantized arrays "
            "counted in; raise target_bpw, add a narrower candidate, or take larger groups"
        )
    return budget


def _choices(
    name: str, target: Target, harm: Mapping[str, Mapping[int, float]], candidates: Sequence[int]
) -> Choices:
    if target.fixed_bits is not None:
        return {target.fixed_bits: (target.size_bytes(target.fixed_bits), 0.0)}
    if name not in harm:
        return {max(candidates): (target.size_bytes(max(candidates)), 0.0)}
    return {bits: (target.size_bytes(bits), harm[name][bits]) for bits in candidates}
