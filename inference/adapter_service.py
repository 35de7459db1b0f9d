"""The adapters of the served model: found, mounted, unmounted, chosen by requests.

Reading a folder is slow and happens on a worker thread; what touches arrays happens on the
engine's, between two steps.
"""

import asyncio
import os.path
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from inference.adapters.errors import BadAdapter
from inference.adapters.folder import Adapter, read_adapter
from inference.adapters.mounted import MountedAdapter
from inference.adapters.search import FoundAdapter, find_adapters
from inference.adapters.selection import BadName, check_id
from inference.adapters.target import BaseModel
from inference.engine.engine import Engine
from inference.errors import InvalidRequest


class AdaptedModel(Protocol):
    """The model with some adapters on, as a sequence takes it along."""

    namespace: str


class AdapterHost(Protocol):
    """Holds the adapters of a loaded model; `inference/engine/adapters/host.py` is the real one."""

    @property
    def mounted(self) -> Mapping[str, MountedAdapter]: ...

    def select(self, ids: tuple[str, ...]) -> AdaptedModel: ...

    def mount(self, adapter_id: str, adapter: Adapter) -> MountedAdapter: ...

    def unmount(self, adapter_id: str) -> MountedAdapter | None: ...


@dataclass(frozen=True, slots=True)
class AvailableAdapter:
    """An adapter on disk. compatible: whether it was trained for the served model."""

    found: FoundAdapter
    mounted: bool
    compatible: bool


class AdapterService:
    """One for each model. Methods may be called from any event loop, but always the same.

    base: the model. host: None if that takes no adapters.
    default: id of the one for requests that choose none, while it is mounted.
    """

    def __init__(
        self,
        engine: Engine,
        base: BaseModel,
        host: AdapterHost | None = None,
        *,
        default: str | None = None,
    ) -> None:
        self._engine = engine
        self._base = base
        self._host = host
        self._default = default
        self._changing = asyncio.Lock()  # one at a time: each may hold a whole adapter's bytes

    @property
    def can_mount(self) -> bool:
        return self._host is not None and bool(self._base.targets)

    @property
    def mounted(self) -> list[MountedAdapter]:
        """What is mounted now, in the order in which it was mounted."""
        return [] if self._host is None else list(self._host.mounted.values())

    async def find_available(self, folders: Sequence[Path]) -> list[AvailableAdapter]:
        """Return every adapter directly below some folders."""
        return await asyncio.to_thread(self._survey, folders)

    async def mount(self, adapter_id: str, path: str) -> MountedAdapter:
        """Mount the adapter in a folder of this machine, in place of the one that has its id.

        Raises InvalidRequest if anything is wrong with it, and then nothing has changed;
        EngineNotRunning.
        """
        host = self._host
        if host is None or not self.can_mount:
            raise InvalidRequest(f"the served model '{self._base.model_id}' takes no adapters")
        try:
            check_id(adapter_id)
        except BadName as error:
            raise InvalidRequest(str(error), "id") from error
        try:
            async with self._changing:
                adapter = await asyncio.to_thread(_read, path, self._base)
                mounting = self._engine.interject(lambda: host.mount(adapter_id, adapter))
                return await asyncio.wrap_future(mounting)
        except BadAdapter as error:
            raise _cannot_mount(adapter_id, error) from error

    async def unmount(self, adapter_id: str) -> MountedAdapter | None:
        """Unmount an adapter and return what it was; None if it is not mounted.

        Requests that chose it, running or waiting, keep it until they end.
        Raises EngineNotRunning.
        """
        host = self._host
        if host is None:
            return None
        async with self._changing:
            gone = self._engine.interject(lambda: host.unmount(adapter_id))
            return await asyncio.wrap_future(gone)

    def select(self, ids: tuple[str, ...] | None) -> AdaptedModel | None:
        """Return the model as a request wants it; None for the weights as loaded.

        ids: as `GenerationRequest.adapter`.
        Raises InvalidRequest naming the first that is not mounted.
        """
        if ids is None:
            ids = self._default_ids()
        if not ids:
            return None
        if self._host is None:
            raise _unknown(ids[0])
        try:
            return self._host.select(ids)
        except KeyError as error:
            raise _unknown(str(error.args[0])) from error

    def close(self) -> None:
        """Let go of the model and of all adapters."""
        self._host = None

    def _survey(self, folders: Sequence[Path]) -> list[AvailableAdapter]:
        mounted = {os.path.realpath(adapter.path) for adapter in self.mounted}
        return [
            AvailableAdapter(
                one,
                mounted=os.path.realpath(one.path) in mounted,
                compatible=one.config is not None and one.config.fits_base(self._base.model_id),
            )
            for one in find_adapters(folders)
        ]

    def _default_ids(self) -> tuple[str, ...]:
        default = self._default
        if default is None or all(default != adapter.id for adapter in self.mounted):
            return ()
        return (default,)


def mount_first(host: AdapterHost, path: str, base: BaseModel) -> str:
    """Mount the adapter that a server begins with, and return its id: the folder's name.

    Raises InvalidRequest. Thread: engine.
    """
    adapter_id = Path(path).absolute().name
    try:
        check_id(adapter_id)
        host.mount(adapter_id, _read(path, base))
    except (BadName, BadAdapter) as error:
        raise InvalidRequest(f"the adapter in {path} cannot be mounted: {error}") from error
    return adapter_id


def _read(path: str, base: BaseModel) -> Adapter:
    try:
        folder = Path(path).expanduser().absolute()
    except RuntimeError as error:  # of a user who is not known here
        raise BadAdapter("path is not a folder of this machine") from error
    return read_adapter(folder, base)


def _cannot_mount(adapter_id: str, error: BadAdapter) -> InvalidRequest:
    return InvalidRequest(f"adapter '{adapter_id}' cannot be mounted: {error}", "path")


def _unknown(adapter_id: str) -> InvalidRequest:
    return InvalidRequest(
        f"unknown adapter '{adapter_id[:200]}': it is not mounted; GET /v1/adapters lists those "
        "that are",
        "adapter",
    )
