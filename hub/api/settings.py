"""What the owner sets while the server runs: the Hub's token, and tools allowed for good."""

import asyncio

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from ninja import Router

from hub.api.answers import success
from hub.api.body import read_text
from hub.token import Tokens, TokenSource
from hub.tool_approvals import ToolApprovals

router = Router(tags=["Settings"])

READ = ["GET", "HEAD"]


@router.api_operation(READ, "/api/settings/hf-token")
async def show_token(request: HttpRequest) -> JsonResponse:
    """Whether there is a token, and where from if it is not the saved one; never the token."""
    tokens: Tokens = settings.HF_TOKENS
    token = await asyncio.to_thread(tokens.find)
    if token is None or token.source is TokenSource.SAVED:
        return success(hasToken=token is not None)
    return success(hasToken=True, source=token.source)


@router.post("/api/settings/hf-token")
async def save_token(request: HttpRequest) -> JsonResponse:
    tokens: Tokens = settings.HF_TOKENS
    await asyncio.to_thread(tokens.save, read_text(request, "token"))
    return success()


@router.api_operation(READ, "/api/settings/tool-approvals")
async def show_approvals(request: HttpRequest) -> JsonResponse:
    return success(alwaysAllow=await asyncio.to_thread(_approvals().allowed))


@router.delete("/api/settings/tool-approvals")
async def forget_approval(request: HttpRequest) -> JsonResponse:
    await asyncio.to_thread(_approvals().forget, read_text(request, "tool"))
    return success(alwaysAllow=await asyncio.to_thread(_approvals().allowed))


def _approvals() -> ToolApprovals:
    approvals: ToolApprovals = settings.TOOL_APPROVALS
    return approvals
