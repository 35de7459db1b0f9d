"""The models that are here, for the page that downloads more."""

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from ninja import Router

from hub.api.answers import success
from hub.api.rows import local_row, skipped_rows
from hub.library import get_library

router = Router(tags=["Models"])


@router.api_operation(["GET", "HEAD"], "/api/hub/local")
async def local_models(request: HttpRequest) -> JsonResponse:
    library = await get_library(settings.HUB)
    return success(
        models=[local_row(entry) for entry in library.entries],
        skipped=skipped_rows(library.skipped),
    )
