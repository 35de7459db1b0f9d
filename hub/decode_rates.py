"""Measured decode rates: what generations report, and what beats every prediction.

Synchronous, as the database is: call from a worker thread or through `sync_to_async`.
"""

import logging
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import DatabaseError
from django.utils import timezone

from hub.models import DecodeRate

logger = logging.getLogger(__name__)

# Of a shorter answer, the first step and the clock decide more than the model.
SHORTEST_TOKENS = 32


@dataclass(frozen=True, slots=True)
class MeasuredRate:
    """tokens_per_second: of one sequence alone. measured_at: with a time zone."""

    tokens_per_second: float
    measured_at: datetime


Rates = Mapping[tuple[str, str], MeasuredRate]
"""Rates on one device, by repo id and snapshot."""


def record_decode_rate(
    *, repo_id: str, snapshot: str, device: str, tokens: int, seconds: float
) -> bool:
    """Remember how fast a sequence decoded; return whether the figure was worth it.

    tokens, seconds: those after the first token, while no other sequence ran. The rate
    takes the place of the last one of this model snapshot on this device. A database that
    cannot be written is logged, and nothing else comes of it.
    """
    if tokens < SHORTEST_TOKENS or not 0 < seconds < math.inf:
        return False
    try:
        DecodeRate.objects.update_or_create(
            repo_id=repo_id,
            snapshot=snapshot,
            device=device,
            defaults={"tokens_per_second": tokens / seconds, "measured_at": timezone.now()},
        )
    except DatabaseError as error:
        logger.warning("the decode rate of %s was not kept: %s", repo_id, error)
        return False
    return True


def decode_rates(device: str) -> Rates:
    """All rates on a device; none where the database has no table yet."""
    try:
        return {
            (row.repo_id, row.snapshot): MeasuredRate(row.tokens_per_second, row.measured_at)
            for row in DecodeRate.objects.filter(device=device)
        }
    except DatabaseError:
        return {}
