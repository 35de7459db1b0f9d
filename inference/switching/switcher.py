"""Switches the served model on request, one at a time, and tells how far that is."""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from hub.local_model import LocalModel
from inference.errors import EngineNotRunning
from inference.service import GenerationService
from inference.switching.errors import SwitchRefused, SwitchUnderWay
from inference.switching.status import SwitchState, SwitchStatus
from inference.switching.switch import Models, Switch, reason_of

logger = logging.getLogger(__name__)

_POLL_SECONDS = 0.05  # how soon whoever wants the machine notices the end of a switch


class Switcher:
    """One for each server over a real model. Thread: any.

    served: the model that `get_service` serves at first. install: puts another service in
    charge.
    """

    def __init__(
        self,
        models: Models,
        served: LocalModel,
        *,
        get_service: Callable[[], GenerationService],
        install: Callable[[GenerationService], None],
    ) -> None:
        self._models = models
        self._served = served
        self._get_service = get_service
        self._install = install
        self._lock = threading.Lock()
        self._claimed = False  # by a switch that is being asked for or under way
        self._held = False  # by somebody who has the machine, or waits for answers to end
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._status = SwitchStatus()

    def status(self) -> SwitchStatus:
        return self._status

    def begin(self, name: str) -> SwitchStatus:
        """Begin to serve the model of a name and return where that stands.

        READY if it is served already. Blocks while the model folders are read. Raises
        SwitchRefused, SwitchUnderWay, or HubError for a name that means no model.
        """
        self._claim()
        try:
            service = self._get_service()
            target = self._models.find(name)
            if self._is_served(target, service):
                message = f"{target.repo_id} is served already"
                self._end(SwitchStatus(SwitchState.READY, target.repo_id, 1.0, message))
                return self._status
            if service.is_alive:
                self._models.read_again(self._served)  # there has to be a way back
            self._models.keep_only(self._served, target)
            return self._start(service, target)
        except BaseException:
            self._release()
            raise

    @asynccontextmanager
    async def hold(self) -> AsyncIterator[None]:
        """Have neither answers generated nor models switched inside of the block.

        Entering waits for a switch that is under way, then as `GenerationService.hold` does; but
        without an engine, no answer is held back, and a model that a switch would load still is.
        """
        while not self._try_hold():  # noqa: ASYNC110 - it ends on another thread
            await asyncio.sleep(_POLL_SECONDS)
        try:
            async with AsyncExitStack() as stack:
                with suppress(EngineNotRunning):
                    await stack.enter_async_context(self._get_service().hold())
                yield
        finally:
            self._held = False

    def stop(self, timeout_seconds: float = 10.0) -> None:
        """Begin no more, and give up what is under way as soon as it can be."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(timeout_seconds)

    def _claim(self) -> None:
        with self._lock:
            if self._stopping.is_set():
                raise SwitchRefused("the server is shutting down")
            if self._claimed:
                target = self._status.target or "another model"
                raise SwitchUnderWay(f"a switch to {target} is under way; wait for its end")
            if self._held:
                raise SwitchUnderWay("a job has the machine; switch models when it has ended")
            self._claimed = True

    def _try_hold(self) -> bool:
        with self._lock:
            if self._claimed or self._held:
                return False
            self._held = True
            return True

    def _release(self) -> None:
        with self._lock:
            self._claimed = False

    def _end(self, outcome: SwitchStatus) -> None:
        with self._lock:  # who sees the end may begin the next
            self._status = outcome
            self._claimed = False

    def _is_served(self, target: LocalModel, service: GenerationService) -> bool:
        same = (target.path, target.snapshot) == (self._served.path, self._served.snapshot)
        return same and service.is_alive

    def _start(self, service: GenerationService, target: LocalModel) -> SwitchStatus:
        message = f"opening {target.repo_id}"
        begun = SwitchStatus(SwitchState.LOADING, target.repo_id, None, message)
        self._report(begun)
        switch = Switch(
            service,
            target=target,
            served=self._served,
            models=self._models,
            install=self._install,
            report=self._report,
            stopping=self._stopping,
        )
        # A daemon: a file system that hangs must not keep the process from ending.
        self._thread = threading.Thread(
            target=self._run, args=(switch, target), name="switch", daemon=True
        )
        self._thread.start()
        return begun

    def _run(self, switch: Switch, target: LocalModel) -> None:
        try:
            outcome = switch.run()
        except Exception as error:
            logger.exception("the switch to %s failed", target.repo_id)
            outcome = SwitchStatus(SwitchState.FAILED, target.repo_id, error=reason_of(error))
        if outcome.state is SwitchState.READY:
            self._served = target
        self._models.keep_only(self._served)
        self._models.forget()
        self._end(outcome)

    def _report(self, status: SwitchStatus) -> None:
        self._status = status
