"""Models that are scripted services, for tests of switching between them."""

import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hub.capabilities import Capabilities
from hub.errors import BrokenModel
from hub.local_model import LocalModel
from hub.registry import find_by_name
from hub.support import Tier
from inference.engine.load_watch import LoadWatch
from inference.engine.scripted import ScriptedRunner
from inference.service import GenerationService
from inference.switching.status import SwitchState, SwitchStatus
from inference.switching.switcher import Switcher
from inference.text.byte_tokenizer import END_OF_TURN
from tests.plugins.five_models import CASES
from tests.plugins.scripted_engine import PATIENCE, eventually

GB = 10**9


def local_model(repo_id: str, snapshot: str = "1", case: str = "dense") -> LocalModel:
    """A model as a scan lists it; there are no files behind it."""
    return LocalModel(
        repo_id=repo_id,
        path=Path("/models") / repo_id,
        snapshot=snapshot,
        model_type="llama",
        weights=CASES[case].weights,
        quantization=None,
        capabilities=Capabilities(),
        tier=Tier.TARGETED,
        made_to_chat=True,
        known_shape=CASES[case].shape,
    )


class ScriptedModels:
    """Models that answer their own names; a model takes `GB` bytes.

    room: whether two of them fit. faults: what loading a model raises once it is opened;
    broken: what opening it raises. missing: whose files are gone. kept: what was to be kept,
    from the first switch on.
    held: cleared, loading waits before the first byte.
    """

    def __init__(self, make: Callable[[str], GenerationService], *names: str) -> None:
        self.listed = [local_model(name) for name in names]
        self.room = True
        self.faults: dict[str, Exception] = {}
        self.broken: dict[str, Exception] = {}
        self.missing: set[str] = set()
        self.held, self.reached = threading.Event(), threading.Event()
        self.held.set()
        self.services: dict[str, GenerationService] = {}
        self.num_forgotten = 0
        self.kept: list[list[str]] = []
        self._make = make

    def find(self, name: str) -> LocalModel:
        return find_by_name(name, self.listed)

    def read_again(self, model: LocalModel) -> LocalModel:
        if model.repo_id in self.missing:
            raise BrokenModel(f"{model.repo_id} has no config.json")
        return model

    def keep_only(self, *models: LocalModel) -> None:
        self.kept.append([model.repo_id for model in models])

    def has_room(self, target: LocalModel, weight_bytes: int, beside: LocalModel) -> bool:
        return self.room

    def load(self, model: LocalModel, watch: LoadWatch) -> GenerationService:
        if model.repo_id in self.broken:
            raise self.broken[model.repo_id]
        watch.opened(GB)
        self.reached.set()
        assert self.held.wait(PATIENCE)
        watch.loaded(GB // 2)
        if model.repo_id in self.faults:
            raise self.faults[model.repo_id]
        watch.loaded(GB)
        service = self._make(model.repo_id)
        service.model = replace(service.model, model_id=model.repo_id)
        self.services[model.repo_id] = service
        return service

    def free_memory(self) -> None:
        pass

    def forget(self) -> None:
        self.num_forgotten += 1


class SwitchableServer:
    """What `inference.runtime` holds: a service in charge and a switcher."""

    def __init__(self, models: ScriptedModels) -> None:
        self.models = models
        first = models.listed[0]
        self.service = models.load(first, LoadWatch())
        models.reached.clear()
        self.switcher = Switcher(
            models, first, get_service=lambda: self.service, install=self._install
        )

    def _install(self, service: GenerationService) -> None:
        self.service = service

    @property
    def status(self) -> SwitchStatus:
        return self.switcher.status()

    async def finish(self) -> SwitchStatus:
        """Wait for the end of the switch under way."""
        ends = (SwitchState.READY, SwitchState.FAILED)
        await eventually(lambda: self.status.state in ends)
        return self.status


@pytest.fixture
def make_switchable(
    make_service: Callable[..., GenerationService],
) -> Iterator[Callable[..., SwitchableServer]]:
    """Call with names of models, the first of which is served.

    runner: fields of every model's `ScriptedRunner`.
    """
    servers: list[SwitchableServer] = []

    def make(
        *names: str, runner: Mapping[str, Any] | None = None, **limits: int
    ) -> SwitchableServer:
        def make_one(name: str) -> GenerationService:
            script = [*name.encode(), END_OF_TURN]
            played = ScriptedRunner(**{"script": lambda sequence: script, **(runner or {})})
            return make_service(runner=played, **limits)

        models = ScriptedModels(make_one, *names)
        servers.append(SwitchableServer(models))
        return servers[-1]

    yield make
    for server in servers:
        server.models.held.set()
        server.switcher.stop()
