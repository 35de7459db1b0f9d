"""The server's routes, and one that submits a job of any kind."""

import json

from asgiref.sync import sync_to_async
from django.http import HttpRequest, JsonResponse
from django.urls import include, path

from jobs.submit import submit


async def submit_job(request: HttpRequest) -> JsonResponse:
    body = json.loads(request.body)
    job = await sync_to_async(submit)(body["kind"], body["config"])
    return JsonResponse({"ok": True, "job_id": job.id})


urlpatterns = [path("test/submit", submit_job), path("", include("mlxsite.urls"))]
