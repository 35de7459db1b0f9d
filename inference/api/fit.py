"""The served model on this machine, and on those one can buy."""

import asyncio
from dataclasses import asdict, replace
from typing import Any

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from ninja import Router

from hub import fit
from hub.assessment import SKU_CONTEXT_TOKENS, assess, predict_decode_tps, sku_matrix
from hub.library import Entry, get_entry
from hub.machine import Machine, this_machine
from hub.residency import Residency, residency
from hub.shape import ModelShape
from hub.weights import Part, Weights
from inference import runtime
from inference.api.openapi.fit import FIT
from inference.service import GenerationService, ServiceConfig

router = Router(tags=["Discovery"])

TYPICAL_CONTEXT_TOKENS = 8192
NO_WEIGHTS = Weights(Part(), Part())  # a scripted model's


@router.api_operation(["GET", "HEAD"], "/fit", openapi_extra=FIT)
async def show_fit(request: HttpRequest) -> JsonResponse:
    service = runtime.get_service()
    machine = await asyncio.to_thread(this_machine, settings.HUB)
    return JsonResponse(fit_body(service.config, machine, await _served_entry(service)))


def fit_body(config: ServiceConfig, machine: Machine, entry: Entry | None) -> dict[str, Any]:
    """Assess the served model as it is loaded; entry: None for a scripted one."""
    context = config.max_context
    shape = entry.model.shape if entry else ModelShape((), max_position_embeddings=context)
    weights = entry.model.weights if entry else NO_WEIGHTS
    usable = config.usable_bytes or fit.usable_bytes(machine.ram_bytes)
    memory = _as_loaded(config, residency(weights, shape, machine.device, usable))
    report = assess(shape, memory, context, usable=usable, machine=machine)
    typical = min(TYPICAL_CONTEXT_TOKENS, context)
    measured = entry.measured if entry else None
    return {
        "machine": {
            "chip": machine.chip,
            "ram_bytes": machine.ram_bytes,
            "bandwidth_gbs": machine.bandwidth_gbps,
        },
        "context_tokens": context,
        "typical_context_tokens": typical,
        "typical_decode_tps": predict_decode_tps(shape, memory, typical, machine),
        "measured_decode_tps": measured.tokens_per_second if measured else None,
        "measured_at": int(measured.measured_at.timestamp() * 1000) if measured else None,
        # The longest context admitted is what is safe, whatever the formula leaves aside.
        "report": asdict(replace(report, max_safe_context=context)),
        "sku_matrix_ctx": SKU_CONTEXT_TOKENS,
        "sku_matrix": [asdict(row) for row in sku_matrix(shape, weights)],
    }


async def _served_entry(service: GenerationService) -> Entry | None:
    local = service.model.local
    return await get_entry(settings.HUB, local) if local else None


def _as_loaded(config: ServiceConfig, expected: Residency) -> Residency:
    """What is in memory in place of what was expected; experts keep their part of it."""
    share = expected.expert_bytes / expected.weight_bytes if expected.weight_bytes else 0.0
    loaded = config.weight_bytes
    number = config.kv.element_bytes or expected.element_bytes
    return Residency(loaded, round(share * loaded), number)
