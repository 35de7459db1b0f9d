"""When chats become articles by themselves."""

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from ninja import Router

from hub.api.answers import success
from jobs.config import JobsConfig

router = Router(tags=["Memory"])

NAME = "memory"


@router.api_operation(["GET", "HEAD"], "/api/memory/schedule")
async def schedule(request: HttpRequest) -> JsonResponse:
    jobs: JobsConfig = settings.JOBS
    times = [daily.at for daily in jobs.daily if daily.name == NAME]
    return success(at=times[0].strftime("%H:%M") if times else None)
