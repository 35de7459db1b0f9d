"""The one run of this machine: begun, watched and stopped."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager

from django.conf import settings
from django.db import connections

from hub.file_lock import FileLock
from memory.errors import VaultError
from memory.synthesis import events, pipeline
from memory.synthesis.config import SynthesisConfig
from memory.synthesis.errors import AlreadyRunning, NoVault, Stopped, SynthesisError
from memory.synthesis.pages import Pages
from memory.synthesis.question import Ask
from memory.synthesis.run import Run
from memory.synthesis.served_model import ServedModel
from memory.vault import Vault

LOCK = ".synthesis.lock"
Connect = Callable[[SynthesisConfig, threading.Event], AbstractContextManager[Ask]]
"""Makes what answers the questions of one run."""

_stops: set[threading.Event] = set()


def synthesize(tell: events.Tell, stop: threading.Event, connect: Connect | None = None) -> None:
    """Run all stages, on this thread, to the end. Raises SynthesisError.

    stop: ends the run at its next step. connect: in place of the served model.
    """
    vault = require_vault()
    config: SynthesisConfig = settings.SYNTHESIS

    def pause() -> None:
        if stop.is_set():
            raise Stopped("the run was told to stop; the next one goes on where it ended")

    with FileLock(vault.root / LOCK) as lock:
        if not lock.acquire():
            raise AlreadyRunning("a synthesis runs already; wait for it to end")
        _stops.add(stop)
        try:
            with (connect or _connect)(config, stop) as ask:
                run = Run(Pages(vault), ask, tell, pause)
                pipeline.synthesize(run, config.sources)
        except VaultError as error:
            raise SynthesisError(f"the vault cannot be written: {error}") from error
        finally:
            _stops.discard(stop)


def plan(tell: events.Tell) -> None:
    """Tell what a run would do. Raises NoVault."""
    require_vault()
    config: SynthesisConfig = settings.SYNTHESIS
    pipeline.plan(tell, config.sources)


def in_background(work: Callable[[], None], on_end: Callable[[], None]) -> None:
    """Do a run's work on a thread of its own, which keeps no process from ending."""

    def main() -> None:
        try:
            work()
        finally:
            connections.close_all()
            on_end()

    threading.Thread(target=main, name="synthesis", daemon=True).start()


def stop_all() -> None:
    """Have the run of this process end at its next step; for a server that shuts down."""
    for stop in tuple(_stops):
        stop.set()


def require_vault() -> Vault:
    """Raises NoVault."""
    vault: Vault = settings.VAULT
    if not vault.exists:
        raise NoVault("no memory vault yet; make one with 'manage.py memory init'")
    return vault


def _connect(config: SynthesisConfig, stop: threading.Event) -> ServedModel:
    return ServedModel(config.batch, stop)
