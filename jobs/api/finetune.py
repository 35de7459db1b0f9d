"""Fine-tuning for the pages: look at data, start the job, merge and export adapters."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest, JsonResponse
from ninja import Router

from jobs.api.answers import BadRequest, success
from jobs.api.body import read_object, read_text
from jobs.errors import JobError
from jobs.finetune import places
from jobs.finetune.data.inspect import Inspection, inspect
from jobs.finetune.fields import Real
from jobs.folders import folder_of
from jobs.submit import submit

router = Router(tags=["Jobs"])

SCALE = Real(-1000, 1000)


@router.post("/api/finetune/submit")
async def submit_finetune(request: HttpRequest) -> JsonResponse:
    """Queue a run. Whatever is wrong with it but a missing folder is told by the job."""
    body = read_object(request)
    if not _word(body, "model_dir") or not _word(body, "data_dir"):
        raise BadRequest("model_dir and data_dir required")
    asked = body.get("adapter_path")
    if isinstance(asked, str) and asked.strip():
        asked = str(folder_of(asked.strip()))
    elif asked is None or isinstance(asked, str):
        asked = str(await asyncio.to_thread(places.new_adapter))
    config = {**body, "adapter_path": asked}
    job = await sync_to_async(submit)("finetune", config, output_path=str(asked))
    return success(job_id=job.id, adapter_path=str(asked))


@router.post("/api/finetune/inspect-dataset")
async def inspect_dataset(request: HttpRequest) -> JsonResponse:
    """What is no data set is a finding, not an error."""
    path = read_text(request, "path")
    try:
        found = await asyncio.to_thread(inspect, folder_of(path))
    except JobError as error:
        found = Inspection(problem=str(error))
    facts: dict[str, Any] = {
        "n_train": found.n_train,
        "n_valid": found.n_valid,
        "format": found.format,
    }
    if found.problem:
        return JsonResponse({"ok": False, **facts, "error": found.problem})
    return success(**facts)


@router.post("/api/finetune/merge")
async def merge_adapters(request: HttpRequest) -> JsonResponse:
    body = read_object(request)
    sources = (
        folder_of(_required(body, "adapter_a")),
        folder_of(_required(body, "adapter_b")),
    )
    return success(**await asyncio.to_thread(_merge, sources, _scales(body)))


@router.post("/api/finetune/export")
async def export_adapter(request: HttpRequest) -> JsonResponse:
    body = read_object(request)
    fields = {
        "base_model": _required(body, "base_model"),
        "adapter_path": folder_of(_required(body, "adapter_path")),
        "method": _word(body, "method") or None,
    }
    return success(**await asyncio.to_thread(_export, fields))


def _merge(sources: tuple[Path, Path], scales: tuple[float, float] | None) -> dict[str, Any]:
    from jobs.finetune.adapters.merge import merge_folders  # noqa: PLC0415 - numpy takes its time

    with places.new_merge() as folder:
        stats = merge_folders(sources, folder, scales)
    return {"merged_path": str(folder), "stats": stats.to_json()}


def _export(fields: dict[str, Any]) -> dict[str, Any]:
    from jobs.finetune.adapters.manifest import export_manifest  # noqa: PLC0415 - as above

    with places.new_export() as folder:
        manifest = export_manifest(folder, **fields)
    return {"export_path": str(folder), "manifest": manifest}


def _scales(body: Mapping[str, Any]) -> tuple[float, float] | None:
    value = body.get("scales")
    if value is None:
        return None
    try:
        a, b = value
        return SCALE.read(a), SCALE.read(b)
    except (TypeError, ValueError):
        shown = repr(value)[:100]
        raise BadRequest(f"scales is {shown}; two numbers are allowed, or none") from None


def _required(body: Mapping[str, Any], name: str) -> str:
    if word := _word(body, name):
        return word
    raise BadRequest(f"{name} required")


def _word(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name)
    return value.strip() if isinstance(value, str) else ""
