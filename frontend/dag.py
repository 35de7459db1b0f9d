"""The map at `/dag`: what a request and a training run go through in this server."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

# The web app shows it in a frame.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
LEGEND = (
    ("end", "Where it begins or ends"),
    ("step", "A step"),
    ("choice", "A step that decides how it goes on"),
    ("store", "What is kept"),
)


@require_safe
async def dag(request: HttpRequest) -> HttpResponse:
    response = render(request, "frontend/dag.html", {"legend": LEGEND})
    response["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    response["Referrer-Policy"] = "no-referrer"
    response["Cache-Control"] = "no-store"
    return response
