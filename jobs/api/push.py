"""Upload what a job made, or any folder, to the Hugging Face Hub."""

from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest, JsonResponse
from ninja import Router

from hub.downloads.errors import InvalidName
from hub.downloads.names import check_repo_id
from hub.uploads.errors import UploadError
from hub.uploads.upload import RepoKind
from jobs.api.answers import BadRequest, failure, success
from jobs.api.body import read_object, read_text
from jobs.push.background import in_background
from jobs.push.source import make_uploader, source_folder
from jobs.push.working_files import working_files

router = Router(tags=["Jobs"])


@router.post("/api/quantize/push")
async def push_quantized(request: HttpRequest) -> JsonResponse:
    return await _push(request, RepoKind.MODEL)


@router.post("/api/finetune/push")
async def push_finetuned(request: HttpRequest) -> JsonResponse:
    return await _push(request, RepoKind.MODEL)


@router.post("/api/dataset/push")
async def push_dataset(request: HttpRequest) -> JsonResponse:
    return await _push(request, RepoKind.DATASET)


async def _push(request: HttpRequest, kind: RepoKind) -> JsonResponse:
    """Answers when the upload is done; it goes on if the caller does not wait."""
    repo_id = read_text(request, "repo_id")
    body = read_object(request)
    private = body.get("private")
    if private is not None and not isinstance(private, bool):
        raise BadRequest("private must be true or false")
    source_path, job_id = _text(body, "source_path"), _text(body, "job_id")
    try:
        check_repo_id(repo_id)
        folder = await sync_to_async(source_folder)(source_path, job_id)
        uploader = await sync_to_async(make_uploader)()
        url = await in_background(
            "upload",
            lambda: uploader.upload(
                folder, repo_id, kind, private=bool(private), left_out=working_files(folder)
            ),
        )
    except (UploadError, InvalidName) as error:
        return failure(400, str(error))
    return success(url=url)


def _text(body: dict[str, Any], name: str) -> str | None:
    value = body.get(name)
    if value is not None and not isinstance(value, str):
        raise BadRequest(f"{name} must be text")
    return value.strip() if value else None
