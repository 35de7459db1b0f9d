"""One attempt to serve another model in the place of the one that is served.

    target opened ─ room for both ──► loaded ─► installed ─► old one drained, closed
                  └ too little ─► old one drained, closed ─► loaded ─► installed
                                                          └ failed ─► old one loaded again

A checkpoint is opened before the old model goes, so that most faults are found while it is
still served. Requests of the meantime wait at the old service's door.
"""

import logging
import threading
from collections.abc import Callable
from typing import Protocol

from hub.errors import HubError
from hub.local_model import LocalModel
from inference.engine.load_watch import LoadWatch
from inference.errors import EngineNotRunning
from inference.service import GenerationService
from inference.switching.status import SwitchState, SwitchStatus

logger = logging.getLogger(__name__)

LONGEST_REASON = 300  # characters; mlx-lm names every tensor that is missing
_POLL_SECONDS = 0.02
_CLOSE_SECONDS = 60.0  # for the last step of the old engine


class Models(Protocol):
    """What a switch needs of `inference.switching.models.LocalModels`."""

    def find(self, name: str) -> LocalModel: ...

    def read_again(self, model: LocalModel) -> LocalModel: ...

    def keep_only(self, *models: LocalModel) -> None: ...

    def has_room(self, target: LocalModel, weight_bytes: int, beside: LocalModel) -> bool: ...

    def load(self, model: LocalModel, watch: LoadWatch) -> GenerationService: ...

    def free_memory(self) -> None: ...

    def forget(self) -> None: ...


class _Stopped(Exception):
    """The server ends, and with it the switch."""


class Switch(LoadWatch):
    """From one model to another, once.

    `run` has a thread of its own; the engine thread of the model that is being loaded calls
    `opened` and `loaded`, while that waits.

    service: the one in charge. target, served: the models. install: puts a service in charge.
    report: told of every change, but not of the end. stopping: set when the server ends.
    """

    def __init__(
        self,
        service: GenerationService,
        *,
        target: LocalModel,
        served: LocalModel,
        models: Models,
        install: Callable[[GenerationService], None],
        report: Callable[[SwitchStatus], None],
        stopping: threading.Event,
    ) -> None:
        self._old = service
        self._target = target
        self._served = served
        self._models = models
        self._install = install
        self._report = report
        self._stopping = stopping
        self._is_unloaded = False
        self._num_bytes = 1

    def run(self) -> SwitchStatus:
        """Switch, or leave or bring back what was served; returns how it ended."""
        problem = self._try(self._target)
        if problem is not None:
            return self._fall_back(f"{self._target.repo_id} could not be loaded: {problem}")
        self._finish_old()
        message = f"{self._target.repo_id} is served"
        return SwitchStatus(SwitchState.READY, self._target.repo_id, 1.0, message)

    def opened(self, num_bytes: int) -> None:
        self._num_bytes = max(num_bytes, 1)
        if not self._is_unloaded and not self._has_room():
            self._unload_old()
        self.loaded(0)

    def loaded(self, num_bytes: int) -> None:
        if self._stopping.is_set():
            raise _Stopped("the server is shutting down")
        done, total = num_bytes / 1e9, self._num_bytes / 1e9
        self._tell(
            SwitchState.LOADING,
            f"loading: {done:.1f} of {total:.1f} GB",
            min(num_bytes / self._num_bytes, 1.0),
        )

    def _try(self, model: LocalModel) -> str | None:
        """Load a model and put it in charge; returns why not, or None."""
        try:
            service = self._models.load(model, self)
        except Exception as error:  # noqa: BLE001 - whatever is wrong with a checkpoint
            problem = reason_of(error)
        else:
            self._install(service)
            self._old.door.open_to(service)
            return None
        # Only here: as long as an exception is handled, it holds what had been loaded.
        logger.warning("%s could not be loaded: %s", model.repo_id, problem)
        self._models.free_memory()
        return problem

    def _fall_back(self, problem: str) -> SwitchStatus:
        back = self._served.repo_id
        if self._stopping.is_set():
            outcome = "the server is shutting down"
            self._old.door.open_to(EngineNotRunning(outcome))
        elif not self._is_unloaded:
            outcome = f"{back} is still served"
        elif (again := self._try(self._served)) is None:
            outcome = f"{back} is served again"
        else:
            outcome = f"{back} could not be loaded again ({again}), so no model is served"
            self._old.door.open_to(EngineNotRunning(f"{problem}; {outcome}"))
        return SwitchStatus(
            SwitchState.FAILED, self._target.repo_id, None, outcome, f"{problem}; {outcome}"
        )

    def _has_room(self) -> bool:
        return self._models.has_room(self._target, self._num_bytes, self._served)

    def _unload_old(self) -> None:
        self._old.door.close()
        self._drain()
        self._close_old()
        self._is_unloaded = True

    def _finish_old(self) -> None:
        """Let the old model's answers come to their end, or to that of the server."""
        if self._is_unloaded:
            return
        try:
            self._drain(progress=1.0)
        except _Stopped:
            logger.info("the server ends before the answers of the old model")
        self._close_old()

    def _drain(self, progress: float | None = None) -> None:
        while not self._old.is_idle:
            count = max(self._old.num_under_way, 1)  # one may still be on its way in
            answers = "1 answer" if count == 1 else f"{count} answers"
            self._tell(SwitchState.DRAINING, f"finishing {answers}", progress)
            if self._stopping.wait(_POLL_SECONDS):
                raise _Stopped("the server is shutting down")

    def _close_old(self) -> None:
        if not self._old.close(_CLOSE_SECONDS):
            logger.error("the engine of %s does not end; its memory stays", self._served.repo_id)
        self._models.free_memory()

    def _tell(self, state: SwitchState, message: str, progress: float | None) -> None:
        self._report(SwitchStatus(state, self._target.repo_id, progress, message))


def reason_of(error: Exception) -> str:
    """Put an exception of any library in one line."""
    text = " ".join(str(error).split())
    if not isinstance(error, HubError | _Stopped):
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return text if len(text) <= LONGEST_REASON else f"{text[:LONGEST_REASON]} …"
