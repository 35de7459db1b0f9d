"""The one service of this process: started and stopped by `runserver_mlx`.

Importing this module loads no MLX: `start` brings it in, after a fast BLAS, which must be
loaded first.
"""

import os
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from hub import in_use
from hub.config import HubConfig
from inference.engine.blas import load_openblas
from inference.errors import EngineNotRunning
from inference.options import ServeOptions
from inference.service import GenerationService
from inference.switching.errors import SwitchRefused
from inference.switching.switcher import Switcher

_service: GenerationService | None = None
_switcher: Switcher | None = None
_watchers: list[Callable[[], None]] = []


def start(options: ServeOptions, hub: HubConfig) -> GenerationService:
    """Load the model that `options` select and return its service once it is ready.

    Raises HubError when no model can be selected, and what loading it raises.
    """
    global _service, _switcher  # noqa: PLW0603
    if options.scripted:
        from inference.scripted_service import build  # noqa: PLC0415 - see above

        _service = build(options, hub)
    else:
        prepare_backend()
        from inference.model_service import build  # noqa: PLC0415

        _service = build(options, hub)
        _switcher = _make_switcher(_service, options, hub)
    return _service


def prepare_backend() -> None:
    """Make a process ready for MLX and transformers, before it imports them."""
    # transformers, which we use for tokenizers, would advise installing PyTorch.
    os.environ.setdefault("TRANSFORMERS_NO_ADVISORY_WARNINGS", "1")
    load_openblas()


def begin_stop() -> None:
    """Begin to write prompts that are to outlive the process, while the last answers finish."""
    if _service is not None:
        _service.durability.begin()


def stop(flush_seconds: float = 0.0) -> None:
    """Give up a switch that is under way, and end the engine; requests still in it fail.

    flush_seconds: how long prompts may take to be written that are to outlive the process.
    """
    global _service, _switcher  # noqa: PLW0603
    if _switcher is not None:
        _switcher.stop()
    if _service is not None:
        _service.close(flush_seconds=flush_seconds)
    _service = _switcher = None
    in_use.keep_only()


def get_service() -> GenerationService:
    """Return the service; raises EngineNotRunning before `start` and after `stop`."""
    if _service is None:
        raise EngineNotRunning("no model is loaded; start the server with runserver_mlx")
    return _service


def watch(switched: Callable[[], None]) -> Callable[[], None]:
    """Have a function called whenever another model has come to answer; returns what ends that.

    It is called on the thread of the switch, which it must neither hold up nor fail.
    """
    _watchers.append(switched)
    return lambda: _watchers.remove(switched)


def hold() -> AbstractAsyncContextManager[None]:
    """Have no answer generated inside of the block, and no other model switched to.

    For whoever needs the machine. Entering waits for the answers and the switch that are under
    way; requests that come meanwhile wait. Raises EngineNotRunning, now or on entering.
    """
    return get_service().hold() if _switcher is None else _switcher.hold()


def get_switcher() -> Switcher:
    """Return what replaces the served model; raises SwitchRefused where nothing can."""
    if _switcher is None:
        raise SwitchRefused(
            "this server has no model of its own to switch from; restart it with the model to serve"
        )
    return _switcher


def _make_switcher(service: GenerationService, options: ServeOptions, hub: HubConfig) -> Switcher:
    from inference.switching.models import LocalModels  # noqa: PLC0415 - imports MLX

    served = service.model.local
    assert served is not None, "it has just been loaded"
    return Switcher(
        LocalModels(options, hub, served), served, get_service=get_service, install=_install
    )


def _install(service: GenerationService) -> None:
    global _service  # noqa: PLW0603
    _service = service
    for switched in tuple(_watchers):
        switched()
