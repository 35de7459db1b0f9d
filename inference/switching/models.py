"""The models of this machine, for whoever switches between them. Imports MLX."""

import gc
import logging

import mlx.core as mx

from hub import fit, in_use, library, machine
from hub.config import HubConfig
from hub.density import WeightsOption
from hub.local_model import LocalModel, read_local_model
from hub.registry import find_by_name, scan
from inference.engine.load_watch import LoadWatch
from inference.engine.loader import detect_device
from inference.errors import InvalidRequest
from inference.model_service import load_service, memory_bytes
from inference.options import ServeOptions
from inference.service import GenerationService
from inference.switching.room import needed_bytes, require_fit

logger = logging.getLogger(__name__)


class LocalModels:
    """Finds, weighs and loads models as the server's options say. Thread: any but an event loop's.

    served: the model that the server began with, which may lie outside the known folders.
    """

    def __init__(self, options: ServeOptions, hub: HubConfig, served: LocalModel) -> None:
        self._options = options
        self._hub = hub
        self._first = served
        self._device = machine.Device(detect_device().value)
        self._usable = fit.usable_bytes(memory_bytes(), options.memory_budget_bytes)

    def find(self, name: str) -> LocalModel:
        """Find the model of a name, which is no path; raises HubError, SwitchRefused."""
        inventory = scan(self._hub)
        models = list(inventory.models)
        if all(model.repo_id != self._first.repo_id for model in models):
            models.append(self._first)
        found = find_by_name(name, models, inventory.skipped)
        require_fit(found, self._device, self._usable, WeightsOption(self._options.weights))
        return found

    def read_again(self, model: LocalModel) -> LocalModel:
        """Read the files of a model anew; raises BrokenModel if it could not be loaded again."""
        return read_local_model(model.path, model.repo_id)

    def keep_only(self, *models: LocalModel) -> None:
        """Have garbage collection leave these alone, and none that it was asked to before."""
        in_use.keep_only(*(model.path for model in models))

    def has_room(self, target: LocalModel, weight_bytes: int, beside: LocalModel) -> bool:
        """Whether a model can be loaded while another is served.

        weight_bytes: what its weights will take, as its checkpoint says.
        """
        served = needed_bytes(beside, mx.get_active_memory(), self._device, self._usable)
        needed = needed_bytes(target, weight_bytes, self._device, self._usable)
        return served + needed <= self._usable

    def load(self, model: LocalModel, watch: LoadWatch) -> GenerationService:
        """Load a model; raises what loading raises.

        The operator's adapter was made for the model that the server began with. If it is not
        what it was then, that model is served without: better than none at all.
        """
        adapter = self._options.adapter if model.path == self._first.path else None
        try:
            return load_service(model, self._options, watch, adapter=adapter)
        except InvalidRequest as error:
            if adapter is None:
                raise
            logger.warning("%s", error)
        return load_service(model, self._options, watch)

    def free_memory(self) -> None:
        """Give back what models that are not served any more have left."""
        gc.collect()  # a model is full of cycles
        mx.clear_cache()

    def forget(self) -> None:
        """Have the model lists made anew."""
        library.forget()
