"""What clients ask before they generate: the index, the models, health, statistics."""

from importlib.metadata import version
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from ninja import Router

from inference import runtime
from inference.api.library import other_models
from inference.api.openapi import discovery as openapi
from inference.api.openapi.stats import STATISTICS
from inference.api.responses.store import STORE
from inference.engine.cache.ssd.stats import SsdStats
from inference.errors import EngineNotRunning
from inference.service import GenerationService

router = Router(tags=["Discovery"])

READ = ["GET", "HEAD"]
ENDPOINTS = [
    "POST /v1/chat/completions",
    "POST /v1/completions",
    "POST /v1/messages",
    "POST /v1/responses",
    "POST /v1/embeddings",
    "GET /v1/models",
    "GET/POST/DELETE /v1/adapters",
    "GET /health",
    "GET /stats",
    "GET /fit",
    "GET /library",
    "GET /downloads",
    "POST /admin/cache/flush",
]


@router.api_operation(READ, "/v1", openapi_extra=openapi.INDEX)
async def index(request: HttpRequest) -> JsonResponse:
    return JsonResponse(
        {
            "name": "mlxsite",
            "version": version("mlxsite"),
            "model": runtime.get_service().model.model_id,
            "endpoints": ENDPOINTS,
        }
    )


@router.api_operation(READ, "/v1/models", openapi_extra=openapi.LIST_MODELS)
async def models(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"object": "list", "data": await _rows()})


@router.api_operation(READ, "/v1/models/{path:model_id}", openapi_extra=openapi.GET_MODEL)
async def model(request: HttpRequest, model_id: str) -> JsonResponse:
    row = next((row for row in await _rows() if row["id"] == model_id), None)
    if row is None:
        message = f"model '{model_id}' is not on this machine; GET /v1/models lists what is"
        body = {"message": message, "type": "invalid_request_error", "param": "model"}
        return JsonResponse({"error": {**body, "code": "model_not_found"}}, status=404)
    # Some clients read the model itself, others (after mlx_lm.server) a list of one.
    return JsonResponse({**row, "data": [row]})


@router.api_operation(READ, "/health", openapi_extra=openapi.HEALTH)
async def health(request: HttpRequest) -> HttpResponse:
    """Answer mlx_lm.server's exact bytes while the engine lives, 503 when it does not."""
    try:
        alive = runtime.get_service().is_alive
    except EngineNotRunning:
        alive = False
    body = '{"status": "ok"}' if alive else '{"status": "engine_unavailable"}'
    return HttpResponse(body, content_type="application/json", status=200 if alive else 503)


@router.api_operation(READ, "/stats", openapi_extra=STATISTICS)
async def stats(request: HttpRequest) -> JsonResponse:
    service = runtime.get_service()
    return JsonResponse(stats_body(service))


async def _rows() -> list[dict[str, Any]]:
    """Describe the served model, then those that could be served in its place."""
    served = served_row(runtime.get_service())
    return [served, *await other_models(served)]


def served_row(service: GenerationService) -> dict[str, Any]:
    """Describe the served model and what it can do here."""
    defaults = service.gen_defaults
    capabilities = {
        "chat_completions": True,
        "text_completions": True,
        "anthropic_messages": True,
        "responses": True,
        "streaming": True,
        "tools": service.answer_format.tools is not None,
        "structured_output": service.can_constrain,
        "logprobs": True,
        "embeddings": service.can_embed,
        "vision": False,
        "audio": False,
        "adapters": service.adapters.can_mount,
        "training": service.adapters.can_mount,  # what is trained is an adapter
    }
    names = ("vision", "audio", "tools", "structured_output", "embeddings", "adapters", "training")
    return {
        "id": service.model.model_id,
        "object": "model",
        "created": int(service.started_at),
        "owned_by": "mlxsite",
        "context_window": service.config.max_context,
        "reasoning": service.answer_format.reasoning is not None,
        "batch_mode": service.batch_mode,
        **{name: capabilities[name] for name in names},
        "dsa": False,
        "mtp": False,
        "capabilities": capabilities,
        "gen_defaults": {
            "temperature": defaults.temperature,
            "top_p": defaults.top_p,
            "top_k": defaults.top_k,
        },
    }


def stats_body(service: GenerationService) -> dict[str, Any]:
    stats, config = service.stats(), service.config
    runner = stats.runner
    return {
        "server": {
            "owner": "serve",
            "model": service.model.model_id,
            "started_at": int(service.started_at * 1000),
            "backend": config.backend,
            "backend_reasons": list(config.backend_reasons),
        },
        "prompt_cache": {
            "entries": runner.cache_entries,
            "bytes": runner.cache_bytes,
            "max_bytes": runner.cache_max_bytes,
            "hits": runner.cache_hits,
            "misses": runner.cache_misses,
        },
        "response_store": STORE.stats(),
        "kv_quant": {
            "mode": config.kv.mode,
            "layers": dict(config.kv.layers),
            "attention": {"global": config.global_layers, "sliding_window": config.sliding_layers},
        },
        **_ssd_cache(service.durability.stats()),
        "admission": {
            "max_safe_context": config.max_context,
            "memory_budget_bytes": config.memory_budget_bytes,
            "usable_bytes": config.usable_bytes,
            "weights_bytes": config.weight_bytes,
        },
        "batch": {
            "configured": service.config.batch,
            "mode": service.batch_mode,
            "batched": service.batch_mode == "batch",
            "active_rows": stats.active,
            "pending_rows": stats.pending,
            "submitted_rows": stats.submitted,
            "kv_bytes": stats.kv_bytes,
            "kv_budget_bytes": service.kv_budget_bytes,
        },
    }


def _ssd_cache(stats: SsdStats | None) -> dict[str, Any]:
    if stats is None:
        return {}
    part = {
        "dir": stats.folder,
        "entries": stats.entries,
        "bytes": stats.bytes,
        "max_bytes": stats.max_bytes,
        "restores": stats.restores,
        "spills": stats.spills,
        "restore_ms_last": round(stats.restore_seconds_last * 1000, 3),
        "demotions": stats.demotions,
        "pending_snapshots": stats.pending_snapshots,
        "pending_spills": stats.pending_spills,
        "pending_spill_bytes": stats.pending_spill_bytes,
        "dropped_spills": stats.dropped_spills,
        "failed_spills": stats.failed_spills,
        "longest_durable_prefix_tokens": stats.longest_prefix,
    }
    return {"ssd_cache": part}
