"""Loads a model on the engine thread, with all that runs on it."""

from dataclasses import dataclass, field, replace

import mlx.core as mx

from hub import fit
from hub.density import WeightsOption
from hub.kv_cost import kv_cost
from hub.local_model import LocalModel
from inference.adapter_service import mount_first
from inference.adapters.target import BaseModel
from inference.engine.adapters.host import AdapterHost
from inference.engine.cache.memory_guard import MemoryGuard
from inference.engine.cache.ssd.generations import Generations
from inference.engine.cache.ssd.tier import SsdTier
from inference.engine.embedder import ModelEmbedder
from inference.engine.headless import find_headless_classes
from inference.engine.idle_work import IdleWork
from inference.engine.load_watch import LoadWatch
from inference.engine.loader import LoadedModel, detect_device, load
from inference.engine.model_runner import ModelRunner
from inference.engine.runner import Runner
from inference.engine.signal import SignalReader
from inference.kv_report import kv_kept, number_bytes
from inference.options import OptionError, ServeOptions
from inference.ssd_cache import origin_of, ssd_config


@dataclass(slots=True)
class ModelLoading:
    """Loads on the engine thread and keeps what the caller's side needs to know."""

    model: LocalModel
    options: ServeOptions
    usable_bytes: int
    exempt: frozenset[int]
    chunk_tokens: int
    embeds: bool
    watch: LoadWatch
    adapter: str | None = None  # folder of one to mount
    adapters: AdapterHost | None = None
    default_adapter: str | None = None
    loaded: LoadedModel | None = None  # without the model once that is the runner's
    embedder: ModelEmbedder | None = None
    signal_reader: SignalReader | None = None
    idle_work: IdleWork = field(default_factory=IdleWork)
    tier: SsdTier | None = None

    def __call__(self) -> Runner:
        option = WeightsOption(self.options.weights)
        find_classes = find_headless_classes if self.embeds else None
        shape = self.model.shape
        loaded = load(
            self.model.path,
            option,
            fit.weight_room(shape, self.usable_bytes, number_bytes(detect_device())),
            find_classes,
            self.watch,
            kv_quant=self.options.kv_quant,
        )
        guard = MemoryGuard(
            limit_bytes=self.usable_bytes,
            headroom_bytes=fit.transient_bytes(self.chunk_tokens),
            in_use=mx.get_active_memory,
        )
        kept = kv_kept(loaded.scheme, shape, loaded.backend.device)
        self.tier = self.open_tier(loaded)
        runner = ModelRunner(
            loaded.model,
            self.options.prompt_cache_bytes,
            scheme=loaded.scheme,
            kv_cost=kv_cost(shape, kept.element_bytes),
            guard=guard,
            exempt=self.exempt,
            max_rows=None if loaded.can_batch else 1,
            tier=self.tier,
            generations=self.generations(),
        )
        try:
            self.equip(loaded, runner)
        except BaseException:
            runner.close()
            raise
        self.loaded = replace(loaded, model=None, bare=None)
        return runner

    def equip(self, loaded: LoadedModel, runner: ModelRunner) -> None:
        """Make what uses the model beside the runner."""
        if self.embeds:
            self.embedder = ModelEmbedder(loaded.model, self.chunk_tokens, runner.make_room)
        else:
            room = runner.make_room
            self.signal_reader = SignalReader(lambda: runner.model, self.chunk_tokens, room)
        self.adapters = AdapterHost(loaded.bare, loaded.targets, loaded.compute, runner.make_room)
        if self.adapter is not None:
            base = self.adapter_base(loaded)
            self.default_adapter = mount_first(self.adapters, self.adapter, base)

    def generations(self) -> Generations | None:
        every = self.options.generation_checkpoint
        return Generations(every, self.tier) if every is not None and self.tier else None

    def open_tier(self, loaded: LoadedModel) -> SsdTier | None:
        config = ssd_config(self.options)
        if config is None:
            return None
        scheme = loaded.scheme
        try:
            origin = origin_of(
                self.model,
                run_as=loaded.backend.label,
                scheme=scheme.name,
                formats=scheme.layer_formats,
            )
            return SsdTier(config, origin, scheme.make_caches(loaded.model), self.idle_work)
        except OSError as error:
            raise OptionError(f"--ssd-cache: {config.folder} cannot be used: {error}") from error

    def adapter_base(self, loaded: LoadedModel) -> BaseModel:
        room = self.usable_bytes - loaded.weight_bytes
        return BaseModel(self.model.repo_id, loaded.targets, room)
