"""Every model of this machine, and which of them is served."""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from ninja import Router

from hub.api.rows import library_row, listed_rows, skipped_rows
from hub.library import get_inventory, get_library
from inference import runtime
from inference.api.openapi.library import LIBRARY
from inference.errors import EngineNotRunning

router = Router(tags=["Discovery"])


@router.api_operation(["GET", "HEAD"], "/library", openapi_extra=LIBRARY)
async def show_library(request: HttpRequest) -> JsonResponse:
    library = await get_library(settings.HUB, refresh=request.GET.get("refresh") == "1")
    served = served_id()
    rows = [library_row(entry, serving=entry.model.repo_id == served) for entry in library.entries]
    return JsonResponse({"models": rows, "skipped": skipped_rows(library.skipped)})


async def other_models(served: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows of the model list after the served model's own."""
    inventory = await get_inventory(settings.HUB)
    return listed_rows(inventory.models, served_id=served["id"], created=served["created"])


def served_id() -> str | None:
    """The served model; while the next is being loaded, the last one that was."""
    try:
        return runtime.get_service().model.model_id
    except EngineNotRunning:
        return None
