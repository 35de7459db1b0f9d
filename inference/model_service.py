"""A service over a real model: chooses it, loads it on the engine thread, sizes it.

With `inference/model_loading.py`, the first on the way in that imports MLX.
"""

from dataclasses import replace

from hub import fit, in_use, machine
from hub.auto_pick import auto_pick, why_none
from hub.config import HubConfig
from hub.density import WeightsOption
from hub.local_model import LocalModel
from hub.registry import resolve, scan
from inference.adapter_service import AdapterService
from inference.constrainer import GrammarConstrainer
from inference.durability import Durability
from inference.engine.backend import Device
from inference.engine.blas import load_openblas
from inference.engine.config import EngineConfig
from inference.engine.engine import Engine
from inference.engine.load_watch import UNWATCHED, LoadWatch
from inference.engine.loader import LoadedModel, detect_device, device_memory_bytes
from inference.kv_report import describe_kv, kv_kept
from inference.model_info import GenerationDefaults, ModelInfo, read_model_info
from inference.model_loading import ModelLoading
from inference.options import ServeOptions
from inference.rate_recorder import RateRecorder
from inference.service import GenerationService, ServiceConfig
from inference.text.pretrained import PretrainedTokenizer
from inference.text.tokenizer import Tokenizer

# Prompt tokens of one step: beside running rows, and alone. Beside rows, a chunk should
# take about as long as a decode step; alone, it bounds how long a cancel has to wait.
_CHUNKS = {Device.CPU: (8, 64), Device.METAL: (256, 1024), Device.CUDA: (512, 4096)}


def build(options: ServeOptions, hub: HubConfig) -> GenerationService:
    """Select, load and serve a model; raises HubError, or what mlx-lm raises."""
    chosen = select_model(options, hub)
    in_use.keep_only(chosen.path)
    return load_service(chosen, options, adapter=options.adapter)


def load_service(
    chosen: LocalModel,
    options: ServeOptions,
    watch: LoadWatch = UNWATCHED,
    *,
    adapter: str | None = None,
) -> GenerationService:
    """Load a model and serve it; raises what mlx-lm and `watch` raise.

    options: of the server; which model and adapter they name does not matter here.
    adapter: folder of one to mount, for requests that choose none.
    """
    device = detect_device()
    usable = fit.usable_bytes(memory_bytes(), options.memory_budget_bytes)
    info = replace(read_model_info(chosen.repo_id, chosen.path), local=chosen)
    tokenizer = PretrainedTokenizer(chosen.path, info.config, info.generation_config)
    limits = engine_config(options, device)
    exempt = tokenizer.stop_token_ids.union(tokenizer.encode("\n", add_special_tokens=False))
    chunk_tokens = limits.max_prefill_tokens
    loading = ModelLoading(
        chosen, options, usable, exempt, chunk_tokens, info.is_embedding, watch, adapter
    )
    engine = Engine(loading, limits, loading.idle_work, report_rate=RateRecorder(chosen))
    engine.start()
    try:
        return _serve(engine, loading, tokenizer, info)
    except BaseException:
        engine.stop()  # nobody else knows of it, and it holds the model
        raise


def memory_bytes() -> int:
    """The memory of the device that MLX computes on, which may be the machine's."""
    return device_memory_bytes() or machine.ram_bytes()


def select_model(options: ServeOptions, hub: HubConfig) -> LocalModel:
    """Return the model that the options name, or without a name the best that fits."""
    models = scan(hub).models
    if options.model is not None:
        return resolve(options.model, models)
    memory = machine.DeviceMemory(machine.Device(detect_device().value), memory_bytes())
    budget, weights = options.memory_budget_bytes, WeightsOption(options.weights)
    picked = auto_pick(models, memory, budget, weights)
    if picked is None:
        raise why_none(models, memory, budget, weights)
    return picked


def engine_config(options: ServeOptions, device: Device) -> EngineConfig:
    """Size the engine's steps for the device."""
    beside, alone = _CHUNKS[device]
    if options.prefill_chunk is not None:
        beside, alone = min(beside, options.prefill_chunk), options.prefill_chunk
    return EngineConfig(
        max_running=options.batch,
        max_mixed_prefill_tokens=beside,
        max_prefill_tokens=alone,
        kv_budget_bytes=options.kv_budget_bytes,
    )


def _serve(
    engine: Engine, loading: ModelLoading, tokenizer: Tokenizer, info: ModelInfo
) -> GenerationService:
    """Put the service together around the engine of a model that is loaded."""
    options, loaded = loading.options, loading.loaded
    assert loaded is not None, "start() returns once the model is loaded"
    config = _service_config(options, loading.model, info, loaded, loading.usable_bytes)
    return GenerationService(
        engine=engine,
        tokenizer=tokenizer,
        model=info,
        config=config,
        description=[
            *_describe(info, config, options, loaded),
            *describe_kv(
                config.kv,
                engine.config.kv_cost,
                engine.config.kv_budget_bytes,
                config.max_context,
            ),
            *_describe_adapter(loading),
        ],
        constrainer=GrammarConstrainer(
            tokenizer, info.vocab_size or len(tokenizer.token_bytes), enabled=options.grammar
        ),
        embedder=loading.embedder,
        signal_reader=loading.signal_reader,
        adapters=AdapterService(
            engine,
            loading.adapter_base(loaded),
            loading.adapters,
            default=loading.default_adapter,
        ),
        durability=Durability(loading.tier),
    )


def _describe_adapter(loading: ModelLoading) -> list[tuple[str, str]]:
    if loading.adapters is None or loading.default_adapter is None:
        return []
    mounted = loading.adapters.mounted[loading.default_adapter]
    told = f"rank {mounted.rank} on {mounted.num_layers} layers, for requests that choose none"
    return [("Adapter", f"{mounted.id}: {told}")]


def _service_config(
    options: ServeOptions, chosen: LocalModel, info: ModelInfo, loaded: LoadedModel, usable: int
) -> ServiceConfig:
    shape = chosen.shape
    kept = kv_kept(loaded.scheme, shape, loaded.backend.device)
    safe = fit.max_safe_context(shape, loaded.weight_bytes, usable, kept.element_bytes)
    sliding = sum(layer.sliding for layer in shape.attention)
    return ServiceConfig(
        defaults=GenerationDefaults(options.temperature, options.top_p, options.top_k),
        max_tokens=options.max_tokens,
        max_context=min(safe, info.context_window),
        thinking=options.thinking,
        tone_curve=options.tone_curve,
        tone_curve_enabled=options.hlg_sampling,
        grammar=options.grammar,
        batch=options.batch,
        saves_generations=options.generation_checkpoint is not None,
        find_stable_prompts=not loaded.cuts_anywhere and options.prompt_cache_bytes > 0,
        usable_bytes=usable,
        memory_budget_bytes=options.memory_budget_bytes,
        weight_bytes=loaded.weight_bytes,
        global_layers=len(shape.attention) - sliding,
        sliding_layers=sliding,
        kv=kept,
        backend=loaded.backend.label,
        backend_reasons=(*loaded.backend.reasons, *_blas_reason(loaded.backend.device)),
    )


def _blas_reason(device: Device) -> tuple[str, ...]:
    if device is not Device.CPU:
        return ()
    name = load_openblas()  # loaded already; asked again for its name
    if name is None:
        return ("MLX's own BLAS: installing OpenBLAS makes a CPU several times faster",)
    return (f"BLAS: {name}",)


def _describe(
    info: ModelInfo, config: ServiceConfig, options: ServeOptions, loaded: LoadedModel
) -> list[tuple[str, str]]:
    context = f"{config.max_context:,} tokens"
    if config.max_context < info.context_window:
        context += f" of {info.context_window:,}: the memory budget ends there"
    gb = f"{config.weight_bytes / 1e9:.1f} GB weights of {config.usable_bytes / 1e9:.1f} GB usable"
    batch = f"{options.batch} requests at once"
    if not loaded.scheme.batches:
        batch = "one request after another: so it is with these keys and values"
    elif not loaded.can_batch:
        batch = "one request after another: this model's rows cannot share a step"
    return [
        ("Model", info.model_id),
        ("Context", context),
        ("Backend", config.backend),
        *[("", reason) for reason in config.backend_reasons],
        ("Memory", f"{gb}, prompt cache up to {options.prompt_cache:g} GiB"),
        *_describe_ssd_cache(options),
        ("Batch", batch),
    ]


def _describe_ssd_cache(options: ServeOptions) -> list[tuple[str, str]]:
    if options.ssd_cache is None:
        return []
    return [("SSD cache", f"{options.ssd_cache}, up to {options.ssd_cache_max:g} GiB of a model")]
