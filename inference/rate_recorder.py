"""Keeps how fast the served model really decodes, for those who would predict it."""

import logging
import threading
import time
from collections.abc import Callable

from hub.local_model import LocalModel

logger = logging.getLogger(__name__)

# As `hub.decode_rates` has it, which needs Django's tables and is not loaded before.
SHORTEST_TOKENS = 32
PAUSE_SECONDS = 60.0  # between two records; the last one counts


class RateRecorder:
    """Writes at most once a minute, on a thread of its own. Called on the engine thread.

    A record that cannot be written is logged; no generation hears of it.
    """

    def __init__(self, model: LocalModel, clock: Callable[[], float] = time.monotonic) -> None:
        self._model = model
        self._clock = clock
        self._not_before = -PAUSE_SECONDS

    def __call__(self, tokens: int, seconds: float) -> None:
        if tokens < SHORTEST_TOKENS or self._clock() < self._not_before:
            return
        self._not_before = self._clock() + PAUSE_SECONDS
        threading.Thread(
            target=self._write, args=(tokens, seconds), name="decode-rate", daemon=True
        ).start()

    def _write(self, tokens: int, seconds: float) -> None:
        try:
            # Late: who loads a model need not have Django set up.
            from django.db import connection  # noqa: PLC0415

            from hub.decode_rates import record_decode_rate  # noqa: PLC0415
            from hub.machine import this_chip  # noqa: PLC0415

            try:
                record_decode_rate(
                    repo_id=self._model.repo_id,
                    snapshot=self._model.snapshot,
                    device=this_chip(),
                    tokens=tokens,
                    seconds=seconds,
                )
            finally:
                connection.close()  # the thread's own
        except Exception as error:  # noqa: BLE001 - a figure for later is worth no failure
            logger.info("the decode rate of %s was not kept: %s", self._model.repo_id, error)
