"""Dataset building for the pages: which templates there are, and the job that follows one."""

import asyncio

from asgiref.sync import sync_to_async
from django.http import HttpRequest, JsonResponse
from ninja import Router

from jobs.api.answers import success
from jobs.api.body import read_object
from jobs.dataset.order import Order
from jobs.dataset.places import new_folder
from jobs.dataset.registry import TEMPLATES
from jobs.submit import submit

router = Router(tags=["Jobs"])
READ = ["GET", "HEAD"]


@router.api_operation(READ, "/api/dataset/templates")
async def list_templates(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"templates": [template.to_json() for template in TEMPLATES.values()]})


@router.post("/api/dataset/submit")
async def submit_dataset(request: HttpRequest) -> JsonResponse:
    """Queue a job; inputs that do not fit the template's fields make none."""
    body = read_object(request)
    order = await asyncio.to_thread(Order.from_json, body)
    folder = str(new_folder(order.template.id))
    config = {**body, "output_dir": folder}
    job = await sync_to_async(submit)("dataset", config, output_path=folder)
    return success(job_id=job.id, output_dir=folder)
