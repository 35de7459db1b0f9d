"""The web app's shell: the one page at `/`, and the files beside it whose headers matter."""

from collections.abc import Callable
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_safe

from frontend.dist import DIST

# Everything comes from this server. Styles are also set in place, by formulas and diagrams;
# previews of answers are frames without an address, and pictures may be pasted.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; manifest-src 'self'; "
    "worker-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
# Pages that had an address of their own before they became parts of one.
LEGACY_PAGES = ("status", "chat", "quantize", "finetune", "dataset")


@require_safe
async def shell(request: HttpRequest) -> HttpResponse:
    response = HttpResponse(_read("index.html"))
    response["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    response["Referrer-Policy"] = "no-referrer"
    response["Cache-Control"] = "no-cache"
    return response


@require_safe
async def service_worker(request: HttpRequest) -> HttpResponse:
    response = HttpResponse(_read("sw.js"), content_type="text/javascript; charset=utf-8")
    response["Cache-Control"] = "no-store"
    return response


@require_safe
async def manifest(request: HttpRequest) -> HttpResponse:
    body = _read("manifest.webmanifest")
    response = HttpResponse(body, content_type="application/manifest+json")
    response["Cache-Control"] = "public, max-age=3600"
    return response


def legacy(page: str) -> Callable[..., Any]:
    """Make the view that leads from a page's old address to its place in the app."""

    @require_safe
    async def lead(request: HttpRequest) -> HttpResponse:
        return HttpResponseRedirect(f"/#{page}")

    return lead


@cache
def _read(name: str) -> bytes:
    return (DIST / name).read_bytes()
