"""The page at `/api/docs`: the OpenAPI document, to read and to try out.

Swagger UI draws it, from the copy that Ninja brings; nothing comes from another server.
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

# Swagger UI draws its icons as data, sets styles, and calls this server's routes.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@require_safe
async def api_docs(request: HttpRequest) -> HttpResponse:
    response = render(request, "frontend/api_docs.html")
    response["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    response["Referrer-Policy"] = "no-referrer"
    response["Cache-Control"] = "no-cache"
    return response
