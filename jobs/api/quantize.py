"""Quantization for the pages: look at a model, start the job, find a folder by its name."""

import asyncio
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import HttpRequest, JsonResponse
from ninja import Router

from hub.config import HubConfig
from hub.errors import HubError
from jobs.api.answers import success
from jobs.api.body import read_object, read_text
from jobs.quantize.config import QuantizeConfig
from jobs.quantize.folders import FolderFinder
from jobs.quantize.naming import Destination, destination
from jobs.quantize.source import inspect, name_of
from jobs.submit import submit

router = Router(tags=["Jobs"])

NOT_FOUND = "Couldn't locate this folder on disk — paste the path instead."


@router.post("/api/quantize/inspect")
async def inspect_model(request: HttpRequest) -> JsonResponse:
    """Whether a model can be quantized; what is no model is a finding, not an error."""
    model_id = read_text(request, "model_id")
    try:
        found = await asyncio.to_thread(inspect, settings.HUB, model_id)
    except HubError as error:
        return _no_model(model_id, str(error))
    except OSError as error:
        return _no_model(model_id, f"{model_id} cannot be read ({error.strerror})")
    answer: dict[str, Any] = {
        "model_id": model_id,
        "arch": found.arch,
        "support": not found.problem,
        "size_gb": round(found.size_bytes / 1e9, 3),
    }
    if found.problem:
        answer["reason"] = found.problem
    return success(**answer)


@router.post("/api/quantize/submit")
async def submit_quantization(request: HttpRequest) -> JsonResponse:
    body = read_object(request)
    config = QuantizeConfig.from_json(body)
    place = await asyncio.to_thread(_place, config)
    output = str(place.folder)
    job = await sync_to_async(submit)("quantize", body, output_path=output)
    return success(job_id=job.id, output_dir=output)


@router.post("/api/quantize/resolve-folder")
async def resolve_source_folder(request: HttpRequest) -> JsonResponse:
    return await _resolve(request)


@router.post("/api/model/resolve-folder")
async def resolve_model_folder(request: HttpRequest) -> JsonResponse:
    return await _resolve(request)


async def _resolve(request: HttpRequest) -> JsonResponse:
    body = read_object(request)
    name, path = (_word(body.get(key)) for key in ("folder_name", "rel_path"))
    hub: HubConfig = settings.HUB
    finder = FolderFinder(
        hub.hf_cache_dir, hub.models_dir, (settings.CACHE_DIR, settings.STATE_DIR)
    )
    found = await asyncio.to_thread(finder.find, name, path)
    if found is None:
        return JsonResponse({"ok": False, "error": NOT_FOUND})
    answer: dict[str, Any] = {"path": str(found.path)}
    if found.repo_id is not None:
        answer["repo_id"] = found.repo_id
    if found.model_type is not None:
        answer["model_type"] = found.model_type
    return success(**answer)


def _place(config: QuantizeConfig) -> Destination:
    hub: HubConfig = settings.HUB
    return destination(hub, name_of(hub, config.model_id), config)


def _no_model(model_id: str, error: str) -> JsonResponse:
    facts = {"model_id": model_id, "arch": None, "support": False, "size_gb": 0.0}
    return JsonResponse({"ok": False, **facts, "error": error})


def _word(value: object) -> str:
    return value if isinstance(value, str) else ""
