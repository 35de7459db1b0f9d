"""Models from the Hub: search it, download from it, watch the downloads."""

import asyncio
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from ninja import Router

from hub.api.answers import BadRequest, failure, success
from hub.api.body import read_text
from hub.config import HubConfig
from hub.downloads.errors import HubUnreachable
from hub.downloads.runtime import get_downloads
from hub.downloads.tracker import DownloadStatus
from hub.search import search
from hub.token import Tokens

router = Router(tags=["Models"])

READ = ["GET", "HEAD"]
LONGEST_QUERY = 200  # characters


@router.api_operation(READ, "/downloads")
async def downloads(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"downloads": [_row(status) for status in get_downloads().latest()]})


@router.post("/api/hub/download")
async def start_download(request: HttpRequest) -> JsonResponse:
    repo = read_text(request, "repo")
    await asyncio.to_thread(get_downloads().start, repo)
    return success(repo=repo, started=True)


@router.delete("/api/hub/download")
async def cancel_download(request: HttpRequest) -> JsonResponse:
    repo = read_text(request, "repo")
    if not get_downloads().cancel(repo):
        return failure(404, f"no download for {repo} is in progress")
    return success(repo=repo, cancelled=True)


@router.api_operation(READ, "/api/hub/search")
async def search_hub(request: HttpRequest) -> JsonResponse:
    query = request.GET.get("q", "").strip()
    if not query:
        raise BadRequest("q is required")
    if len(query) > LONGEST_QUERY:
        raise BadRequest(f"q has {len(query):,} characters, and {LONGEST_QUERY} are allowed")
    try:
        hits = await asyncio.to_thread(_search, query)
    except HubUnreachable as error:
        return success(offline=True, error=str(error), results=[])
    results = [
        {"id": hit.repo_id, "downloads": hit.downloads, "likes": hit.likes, "size_estimate": None}
        for hit in hits
    ]
    return success(offline=False, results=results)


def _search(query: str) -> list[Any]:
    config: HubConfig = settings.HUB
    tokens: Tokens = settings.HF_TOKENS
    token = tokens.find()
    return search(config.endpoint, query, token.value if token else None)


def _row(status: DownloadStatus) -> dict[str, Any]:
    row = asdict(status)
    if status.error is None:
        del row["error"]
    return row
