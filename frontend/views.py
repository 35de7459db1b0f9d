"""The page at `/connect`: what is served here, and how to call it."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from frontend import served

# The page loads its own style and script and nothing else, whatever a model's name contains.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@require_safe
async def connect(request: HttpRequest) -> HttpResponse:
    """Show the served model and examples that work as they stand on this host."""
    model = served.current()
    context = {
        "model": model,
        "base_url": f"{request.scheme}://{request.get_host()}/v1",
        "model_name": model.name if model else "default",
        "needs_key": bool(settings.API_KEYS),
    }
    response = render(request, "frontend/connect.html", context)
    response["Content-Security-Policy"] = CONTENT_SECURITY_POLICY
    response["Referrer-Policy"] = "no-referrer"
    response["Cache-Control"] = "no-cache"
    return response
