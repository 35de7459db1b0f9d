"""The one service of this process: started and stopped by `runserver_mlx`.

Importing this module loads no MLX: `start` brings it in, after a fast BLAS, which must be
loaded first.
"""

import os

from hub.config import HubConfig
from inference.engine.blas import load_openblas
from inference.errors import EngineNotRunning
from inference.options import ServeOptions
from inference.service import GenerationService

_service: GenerationService | None = None


def start(options: ServeOptions, hub: HubConfig) -> GenerationService:
    """Load the model that `options` select and return its service once it is ready.

    Raises HubError when no model can be selected, and what loading it raises.
    """
    global _service  # noqa: PLW0603
    if options.scripted:
        from inference.scripted_service import build  # noqa: PLC0415 - see above
    else:
        prepare_backend()
        from inference.model_service import build  # noqa: PLC0415
    _service = build(options, hub)
    return _service


def prepare_backend() -> None:
    """Make a process ready for MLX and transformers, before it imports them."""
    # transformers, which we use for tokenizers, would advise installing PyTorch.
    os.environ.setdefault("TRANSFORMERS_NO_ADVISORY_WARNINGS", "1")
    load_openblas()


def stop() -> None:
    """End the engine; requests still in it fail."""
    global _service  # noqa: PLW0603
    if _service is not None:
        _service.close()
    _service = None


def get_service() -> GenerationService:
    """Return the service; raises EngineNotRunning before `start` and after `stop`."""
    if _service is None:
        raise EngineNotRunning("no model is loaded; start the server with runserver_mlx")
    return _service
