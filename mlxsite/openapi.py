"""The OpenAPI document: what every Ninja API tells of its routes, and the pages, in one.

Ninja knows the routes, so that none is missing and none is invented. What it cannot know, the
bodies, each protocol's `openapi` package tells it (`openapi_extra`).
"""

from functools import cache
from importlib.metadata import version
from typing import Any, TypeGuard

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe
from ninja import NinjaAPI

from frontend.shell import LEGACY_PAGES
from inference.api.openapi.operation import answer, operation
from inference.api.openapi.refusals import NOT_FOUND, OPEN, REFUSED_READS
from inference.api.openapi.schema import components, text
from mlxsite import (
    api,
    openapi_dataset,
    openapi_finetune,
    openapi_hub,
    openapi_jobs,
    openapi_memory,
    openapi_push,
    openapi_quantize,
    openapi_sessions,
    openapi_sign_in,
    openapi_synthesis,
)
from sessions.frames.schema import frame_schemas

_DESCRIPTION = """\
One language model, served over the protocols of OpenAI and Anthropic on this machine.

Bodies are JSON in UTF-8, and writes with a body need `Content-Type: application/json`. Whole \
numbers are written without a decimal point. Routes that take GET take HEAD as well. A path that \
nothing answers gives 404 as `NotFound`, a method that a route does not take 405 as `Error`.

Where the operator has set API keys, a request carries one of them, in either of two ways."""

_TAGS = {
    "OpenAI": "Chat and text completions, and embeddings",
    "Responses": "OpenAI's newer protocol, with answers to go on from",
    "Anthropic": "Messages, as Claude Code sends them",
    "Adapters": "Small changes to the served model, for the requests that choose them",
    "Curves": "For the curve designer",
    "Discovery": "What clients ask before they generate",
    "Metrics": "What an operator watches",
    "Admin": "What an operator does to a running server",
    "Models": "What is on this machine, and what the Hugging Face Hub has",
    "Jobs": "Long work: fine-tuning, quantizing, datasets",
    "Chats": "The web app's chat, and what was said in it",
    "Memory": "What the user has told, as a wiki of Markdown files",
    "Settings": "What the owner sets while the server runs",
    "Pages": "For people, and this document",
}
_KEYS = {
    "bearer": {"type": "http", "scheme": "bearer"},
    "x-api-key": {"type": "apiKey", "in": "header", "name": "x-api-key"},
}


def _page(operation_id: str, summary: str, *, media_type: str) -> dict[str, Any]:
    body = {} if media_type == "application/json" else text()
    refused = {status: told for status, told in REFUSED_READS.items() if status != 401}
    told = operation(
        operation_id,
        summary,
        security=OPEN,
        answers={
            200: answer("The page", body, media_type=media_type),
            **refused,
        },
    )
    return {"get": {**told, "tags": ["Pages"]}}


def _lead(page: str) -> dict[str, Any]:
    told = operation(
        f"lead{page.capitalize()}",
        "Leads to the page of that name in the web app",
        security=OPEN,
        answers={302: answer("There it is now"), 403: REFUSED_READS[403]},
    )
    return {"get": {**told, "tags": ["Pages"]}}


_TERRAIN = operation(
    "getCurveTerrain",
    "A picture of many curves, if the operator has put one there",
    answers={
        200: answer("The page", text(), media_type="text/html"),
        404: answer("There is none", NOT_FOUND),
        **REFUSED_READS,
    },
)
_PAGES = {
    "/": _page("getApp", "The web app", media_type="text/html"),
    "/connect": _page("getConnect", "How to connect a client", media_type="text/html"),
    "/preview": _page("getPreview", "The frame of the web app's previews", media_type="text/html"),
    "/curves": _page("getCurves", "The curve designer", media_type="text/html"),
    "/curve-terrain": {"get": {**_TERRAIN, "tags": ["Pages"]}},
    "/dag": _page("getDag", "A map of this server", media_type="text/html"),
    "/sw.js": _page("getServiceWorker", "The web app's worker", media_type="text/javascript"),
    "/manifest.webmanifest": _page(
        "getManifest", "What makes the web app installable", media_type="application/manifest+json"
    ),
    **{f"/{page}": _lead(page) for page in LEGACY_PAGES},
    "/api/docs": _page("getDocs", "This document to read", media_type="text/html"),
    "/api/openapi.json": _page("getDocument", "This document", media_type="application/json"),
}


_OWN_PATHS = (
    openapi_hub.PATHS
    | openapi_jobs.PATHS
    | openapi_quantize.PATHS
    | openapi_push.PATHS
    | openapi_finetune.PATHS
    | openapi_dataset.PATHS
    | openapi_sessions.PATHS
    | openapi_memory.PATHS
    | openapi_synthesis.PATHS
    | openapi_sign_in.PATHS
)


def _is_api(value: object) -> TypeGuard[NinjaAPI]:
    return isinstance(value, NinjaAPI)


@cache
def document() -> dict[str, Any]:
    """Return the whole document, version 3.1; it is the same for the life of the process."""
    paths: dict[str, dict[str, Any]] = {}
    for served in filter(_is_api, vars(api).values()):
        for path, methods in served.get_openapi_schema(path_prefix="")["paths"].items():
            # A HEAD is a GET without a body; of its own it would be a second operation.
            told = {method: route for method, route in methods.items() if method != "head"}
            paths.setdefault(path, {}).update(told)
    for path, methods in _OWN_PATHS.items():
        for method, told in methods.items():
            paths[path][method] |= told
    paths |= _PAGES
    return {
        "openapi": "3.1.0",
        "info": {"title": "mlxsite", "version": version("mlxsite"), "description": _DESCRIPTION},
        "tags": [{"name": name, "description": told} for name, told in _TAGS.items()],
        "security": [{}, *({name: []} for name in _KEYS)],
        "paths": paths,
        "components": {
            "securitySchemes": _KEYS,
            "schemas": dict(sorted((components([paths, NOT_FOUND]) | frame_schemas()).items())),
        },
    }


@require_safe
async def openapi(request: HttpRequest) -> JsonResponse:
    return JsonResponse(document())
