"""All models of this machine, each assessed for it.

Pages ask every few seconds. The disk is not asked as often: what a scan found is kept for
half a minute, or until someone says that models have changed: `forget` within this process,
`announce` to all of them.
"""

import asyncio
import itertools
import logging
import threading
import time
from dataclasses import dataclass

from asgiref.sync import sync_to_async

from hub.assessment import Assessment, assess_here
from hub.config import HubConfig
from hub.decode_rates import MeasuredRate, Rates, decode_rates
from hub.local_model import LocalModel
from hub.machine import Machine, this_machine
from hub.registry import Inventory, Skipped, scan

logger = logging.getLogger(__name__)

CONTEXT_TOKENS = 8192  # every model is assessed at this context
KEPT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Entry:
    """A model with what this machine can do with it.

    assessment: None where `config.json` tells too little. measured: how fast it really was.
    """

    model: LocalModel
    assessment: Assessment | None
    measured: MeasuredRate | None

    @property
    def decode_tps(self) -> float | None:
        """Tokens a second of one sequence: as measured, else as predicted, else None."""
        if self.measured is not None:
            return self.measured.tokens_per_second
        return self.assessment.predicted_decode_tps if self.assessment else None


@dataclass(frozen=True, slots=True)
class Library:
    """What a scan found, in the order of repo ids."""

    machine: Machine
    entries: tuple[Entry, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True)
class _Kept:
    config: HubConfig
    inventory: Inventory
    until: float  # on the monotonic clock
    announced: int  # when a change was last announced, before the scan
    turn: int


_lock = threading.Lock()  # over what follows
_kept: _Kept | None = None
_turns = itertools.count(1)  # given to scans as they begin, and to calls of `forget`
_forgotten = 0  # the turn of the last of those


async def get_inventory(config: HubConfig, *, refresh: bool = False) -> Inventory:
    """Return what a scan finds, at most `KEPT_SECONDS` old, or new if refresh.

    Any event loop; the scan runs on another thread.
    """
    global _kept  # noqa: PLW0603
    announced = await asyncio.to_thread(_last_announced, config)
    kept = _kept  # another thread may forget it
    if not refresh and kept is not None and _is_fresh(kept, config, announced):
        return kept.inventory
    turn = next(_turns)
    inventory = await asyncio.to_thread(scan, config)
    # A scan may have missed what came, or went, while it was under way.
    with _lock:
        if turn > _forgotten and (_kept is None or turn > _kept.turn):
            _kept = _Kept(config, inventory, time.monotonic() + KEPT_SECONDS, announced, turn)
    return inventory


def forget() -> None:
    """Make the next one who asks read anew: models have come, gone or changed. Any thread."""
    global _kept, _forgotten  # noqa: PLW0603
    with _lock:
        _forgotten = next(_turns)
        _kept = None


def announce(config: HubConfig) -> None:
    """As `forget`, for every process on these folders. Touches a file; any thread."""
    forget()
    try:
        config.changes_file.parent.mkdir(parents=True, exist_ok=True)
        config.changes_file.touch()
    except OSError as error:
        logger.warning("other processes will see the change of models later: %s", error)


async def get_library(config: HubConfig, *, refresh: bool = False) -> Library:
    """Assess what `get_inventory` returns; asks the database for measured rates."""
    inventory = await get_inventory(config, refresh=refresh)
    machine = await asyncio.to_thread(this_machine, config)
    rates = await sync_to_async(decode_rates)(machine.chip)
    return await asyncio.to_thread(assess_all, inventory, machine, rates)


async def get_entry(config: HubConfig, model: LocalModel) -> Entry:
    """Assess one model, of the inventory or not; its folder is not looked at."""
    machine = await asyncio.to_thread(this_machine, config)
    return _entry(model, machine, await sync_to_async(decode_rates)(machine.chip))


def assess_all(inventory: Inventory, machine: Machine, rates: Rates) -> Library:
    """Make the library of a scan."""
    entries = tuple(_entry(model, machine, rates) for model in inventory.models)
    return Library(machine, entries, inventory.skipped)


def _is_fresh(kept: _Kept, config: HubConfig, announced: int) -> bool:
    known = (kept.config, kept.announced) == (config, announced)
    return known and time.monotonic() < kept.until


def _last_announced(config: HubConfig) -> int:
    try:
        return config.changes_file.stat().st_mtime_ns
    except OSError:
        return 0  # never


def _entry(model: LocalModel, machine: Machine, rates: Rates) -> Entry:
    return Entry(model, _assess(model, machine), rates.get((model.repo_id, model.snapshot)))


def _assess(model: LocalModel, machine: Machine) -> Assessment | None:
    if model.known_shape is None:
        return None
    return assess_here(model.known_shape, model.weights, machine, CONTEXT_TOKENS)
