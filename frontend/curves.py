"""The curve designer at `/curves`, and the picture of a sweep of curves, if somebody made one."""

import asyncio
from pathlib import Path

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

# The page asks the engine it is told to, which is this server or another one on this machine.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "connect-src 'self' http://127.0.0.1:* http://localhost:*; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# A file from outside: shut in, with an origin that is nobody's, and without any way to send.
TERRAIN_SECURITY_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
TERRAIN = "curve-terrain.html"  # in the state folder


@require_safe
async def curves(request: HttpRequest) -> HttpResponse:
    response = render(request, "frontend/curves.html")
    response["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    response["Referrer-Policy"] = "no-referrer"
    response["Cache-Control"] = "no-store"
    return response


@require_safe
async def curve_terrain(request: HttpRequest) -> HttpResponse:
    """Show the file of that name from the state folder; 404 while there is none."""
    try:
        page = await asyncio.to_thread(Path(settings.STATE_DIR, TERRAIN).read_bytes)
    except OSError as error:
        raise Http404 from error
    response = HttpResponse(page)
    response["Content-Security-Policy"] = TERRAIN_SECURITY_POLICY
    response["Referrer-Policy"] = "no-referrer"
    response["Cache-Control"] = "no-store"
    return response
