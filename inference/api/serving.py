"""Serve another model: by a restart, or live in this process."""

import asyncio
import shlex

from django.http import HttpRequest, JsonResponse
from ninja import Router

from hub.api.answers import BadRequest, failure, success
from hub.api.body import read_object, read_text
from inference import runtime
from inference.api.library import served_id
from inference.switching.errors import SwitchRefused, SwitchUnderWay
from inference.switching.status import SwitchState, SwitchStatus

router = Router(tags=["Models"])


@router.post("/api/hub/serve")
async def serve(request: HttpRequest) -> JsonResponse:
    """Tell the command to restart with; or, if asked to do it live, begin at once."""
    model = read_text(request, "model")
    live = read_object(request).get("live", False)
    if not isinstance(live, bool):
        raise BadRequest("live must be true or false")
    if not live:
        command = f"manage.py runserver_mlx {shlex.quote(model)}"
        return JsonResponse({"ok": False, "restart_required": True, "command": command})
    try:
        status = await asyncio.to_thread(runtime.get_switcher().begin, model)
    except SwitchUnderWay as error:
        return failure(409, str(error))
    except SwitchRefused as error:
        return failure(400, str(error))
    switching = status.state is not SwitchState.READY
    return success(202 if switching else 200, switching=switching, model=status.target)


@router.api_operation(["GET", "HEAD"], "/api/hub/serve")
async def show_switch(request: HttpRequest) -> JsonResponse:
    """How far the switch under way is, or how the last one ended."""
    try:
        status = runtime.get_switcher().status()
    except SwitchRefused:
        status = SwitchStatus()
    return success(
        state=status.state,
        model=served_id(),
        target=status.target,
        progress=status.progress,
        message=status.message,
        error=status.error,
    )
