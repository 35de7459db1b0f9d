"""The routes that list, mount and unmount adapters."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from ninja import Router

from inference import runtime
from inference.adapter_service import AvailableAdapter
from inference.adapters.mounted import MountedAdapter
from inference.api.json_body import read_object
from inference.api.openapi import adapters as openapi
from inference.errors import InvalidRequest

router = Router(tags=["Adapters"])

READ = ["GET", "HEAD"]


@router.api_operation(READ, "/v1/adapters", openapi_extra=openapi.LIST)
async def mounted(request: HttpRequest) -> JsonResponse:
    adapters = runtime.get_service().adapters.mounted
    return JsonResponse({"adapters": [mounted_row(adapter) for adapter in adapters]})


@router.api_operation(READ, "/v1/adapters/available", openapi_extra=openapi.LIST_AVAILABLE)
async def available(request: HttpRequest) -> JsonResponse:
    service = runtime.get_service()
    found = await service.adapters.find_available(settings.HUB.adapter_folders)
    return JsonResponse({"adapters": [available_row(adapter) for adapter in found]})


@router.post("/v1/adapters", openapi_extra=openapi.MOUNT)
async def mount(request: HttpRequest) -> JsonResponse:
    body = read_object(request.body)
    adapter_id, path = body.get("id"), body.get("path")
    if not (isinstance(adapter_id, str) and adapter_id and isinstance(path, str) and path):
        raise InvalidRequest("id and path required")
    adapter = await runtime.get_service().mount_adapter(adapter_id, path)
    row = mounted_row(adapter)
    names = ("id", "mounted_layers", "rank", "scale", "ram_bytes")
    return JsonResponse({name: row[name] for name in names})


@router.delete("/v1/adapters/{adapter_id}", openapi_extra=openapi.UNMOUNT)
async def unmount(request: HttpRequest, adapter_id: str) -> JsonResponse:
    adapter = await runtime.get_service().unmount_adapter(adapter_id)
    if adapter is None:
        message = f"adapter {adapter_id} not mounted"
        return JsonResponse({"error": {"message": message}}, status=404)
    return JsonResponse({"id": adapter.id, "removed_layers": adapter.num_layers})


def mounted_row(adapter: MountedAdapter) -> dict[str, Any]:
    return {
        "id": adapter.id,
        "path": str(adapter.path),
        "rank": adapter.rank,
        "scale": adapter.scale,
        "size_bytes": adapter.size_bytes,
        "mounted_layers": adapter.num_layers,
        "ram_bytes": adapter.ram_bytes,
    }


def available_row(adapter: AvailableAdapter) -> dict[str, Any]:
    config = adapter.found.config
    return {
        "id": adapter.found.id,
        "path": str(adapter.found.path),
        "rank": None if config is None else config.rank,
        "scale": None if config is None else config.scale,
        "base_model": None if config is None else config.base_model,
        "mounted": adapter.mounted,
        "compatible": adapter.compatible,
    }
