"""Static files in front of Django: WhiteNoise as an index of files, without its middleware.

WhiteNoise's Django middleware is synchronous and would cost every request, streams
included, a thread hop. Here only paths it knows touch it.
"""

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from whitenoise import WhiteNoise

from mlxsite.replies import Asgi, Receive, Scope, Send

ASSETS = "/assets/"  # the web app's files, whose names are part of the contract


class StaticFiles:
    """ASGI application that answers GET and HEAD of known files and hands on the rest.

    folders: below each prefix, the folders whose files appear there; read once, at the start.
    """

    def __init__(self, inner: Asgi, *, folders: Mapping[str, Iterable[Path]]) -> None:
        self.inner = inner
        self.index = WhiteNoise(
            None,
            max_age=0,
            allow_all_origins=False,
            immutable_file_test=_is_immutable,
            add_headers_function=_add_headers,
        )
        for prefix, below in folders.items():
            for folder in below:
                self.index.add_files(str(folder), prefix=prefix)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        known = self.index.files.get(scope["path"]) if scope["type"] == "http" else None
        if known is None or scope["method"] not in ("GET", "HEAD"):
            await self.inner(scope, receive, send)
            return
        response = known.get_response(scope["method"], _wsgi_headers(scope))
        headers = [
            (name.lower().encode("latin1"), str(value).encode("latin1"))
            for name, value in response.headers
        ]
        body = b""
        if response.file is not None:
            with response.file:
                body = await asyncio.to_thread(response.file.read)
        await send(
            {
                "type": "http.response.start",
                "status": response.status.value,
                "headers": headers,
            }
        )
        await send({"type": "http.response.body", "body": body})


def _wsgi_headers(scope: Scope) -> dict[str, str]:
    return {
        "HTTP_" + name.decode("latin1").upper().replace("-", "_"): value.decode("latin1")
        for name, value in scope["headers"]
    }


def _is_immutable(_path: str, url: str) -> bool:
    return "/chunks/" in url  # where the web app's build puts names that hold a hash


def _add_headers(headers: Any, path: str, url: str) -> None:
    headers["X-Content-Type-Options"] = "nosniff"
    if url.startswith(ASSETS) and not _is_immutable(path, url):
        headers["Cache-Control"] = "public, max-age=3600"
