"""The page in the frame that shows HTML of an answer.

What a model wrote may be anything, so this page is shut in twice: by the frame's sandbox and by
its own. Its scripts run in an origin that is nobody's, and nothing can be loaded or sent.
"""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

CONTENT_SECURITY_POLICY = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; media-src data: blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)


@require_safe
async def preview(request: HttpRequest) -> HttpResponse:
    response = render(request, "frontend/preview.html")
    response["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    response["Referrer-Policy"] = "no-referrer"
    response["Cache-Control"] = "no-cache"
    return response
