"""Requests of every kind that the OpenAPI document lets one think of, right and wrong ones."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

from tests.plugins.openapi import DOCUMENT, JSON, Bodies, bodies_of, fits, judge, without
from tests.plugins.openapi import READ_IN_PLACE_OF_ANOTHER as FORGIVEN

SCHEMAS = bodies_of(DOCUMENT)
JUDGES = {path: judge(DOCUMENT, schema) for path, schema in SCHEMAS.items()}
READS = [
    path
    for path, told in DOCUMENT["paths"].items()
    if "get" in told
    and "content" in told["get"]["responses"].get("200", {})
    and not any(p["in"] == "query" and p.get("required") for p in told["get"].get("parameters", ()))
]
# Routes of this server's own pages. Names that a body is made of are no repo's: nothing is fetched.
OWN = [
    (method, path)
    for path, told in DOCUMENT["paths"].items()
    for method in told
    if "requestBody" in told[method] and path not in SCHEMAS
]
GUARDED = {"401", "403", "413", "415", "500", "503"}  # statuses that nothing drawn here deserves
ANY = frozenset({200, 400, 404})
ODD_METHODS = ("PUT", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "M-SEARCH", "DELETE")
NAMES = ("scripted", "resp_0", "", "..", "../..", "a/b", "é✓", "%00", "\x00", "?", "x" * 4000)
QUERIES = (
    "",
    "?stream=true",
    "?beta=true",
    "?stream=%ff",
    "?&&=",
    "?a[]=1&a[]=2",
    "?" + "q" * 4000,
)
HARMLESS: tuple[dict[str, str | bytes], ...] = (
    {"accept": "text/plain;q=0.1, */*;q=0"},
    {"accept-encoding": "br;q=1.0, nonsense"},
    {"authorization": "Bearer"},
    {"authorization": "Basic ☃".encode()},
    {"x-api-key": b"\xff\xfe"},
    {"connection": "close"},
    {"content-type": "Application/JSON; charset=utf-16"},
    {"cookie": "sessionid=1; csrftoken=; ;=;"},
    {"daphne-root-path": "/static"},
    {"expect": "100-continue"},
    {"if-none-match": "*", "if-modified-since": "never"},
    {"range": "bytes=0-1"},
    {"sec-fetch-site": "same-origin"},
    {"x-forwarded-host": "evil.example", "x-forwarded-proto": "gopher"},
    {"x-http-method-override": "DELETE"},
    {"x-mlxsite-trace-id": "t" * 2000},
    {"anthropic-version": "", "anthropic-beta": "a,b," * 200},
)
# By status, what the guard refuses with it.
REFUSED: tuple[tuple[int, dict[str, str | bytes]], ...] = (
    (403, {"host": "evil.example"}),
    (403, {"host": "[::1"}),
    (403, {"origin": "https://evil.example"}),
    (403, {"origin": "null"}),
    (403, {"sec-fetch-site": "cross-site"}),
    (415, {"content-type": "text/plain"}),
    (415, {"content-type": "application/x-www-form-urlencoded"}),
    (415, {"content-type": ""}),
)


@dataclass(frozen=True)
class Request:
    """A request, and what may come of it.

    path: as the document writes it, or None for one that nothing answers.
    url: as it is sent. statuses: those that are right.
    fits: whether the body is what the document asks for, so that a refusal needs a reason.
    leaves: whether the caller goes away in the middle of the answer.
    """

    kind: str
    method: str
    url: str
    statuses: frozenset[int]
    path: str | None = None
    body: bytes = b""
    headers: dict[str, str | bytes] = field(default_factory=dict)
    fits: bool = False
    leaves: bool = False


class Requests:
    """Draws requests. stored: ids of responses that the server may still have; add to it."""

    def __init__(self, numbers: random.Random) -> None:
        self.numbers = numbers
        self.bodies = Bodies(DOCUMENT, numbers)
        self.stored: list[str] = []
        self._kinds: dict[Callable[[], Request], int] = {
            self._fitting: 30,
            self._broken: 25,
            self._damaged: 10,
            self._with_harmless_headers: 8,
            self._with_refused_headers: 5,
            self._left: 5,
            self._read: 7,
            self._of_a_page: 4,
            self._with_odd_method: 5,
            self._of_stored_response: 3,
            self._to_nowhere: 2,
        }

    def draw(self) -> Request:
        [kind] = self.numbers.choices(list(self._kinds), list(self._kinds.values()))
        return kind()

    def _post(self, kind: str, path: str, body: Any) -> Request:
        judged = JUDGES[path]
        as_told = fits(judged, body)
        may_pass = as_told or fits(judged, without(body, FORGIVEN))
        return Request(
            kind=kind,
            method="POST",
            url=path,
            statuses=ANY if may_pass else ANY - {200},
            path=path,
            body=json.dumps(body).encode(),
            headers={"content-type": JSON},
            fits=as_told,
        )

    def _body(self, path: str) -> Any:
        body = self.bodies.fitting(SCHEMAS[path])
        if path != "/v1/embeddings" and self.numbers.random() < 0.9:
            body["max_tokens"] = self.numbers.randint(1, 8)  # thousands of answers, soon over
        if path == "/v1/responses" and self.stored and self.numbers.random() < 0.3:
            body["previous_response_id"] = self.numbers.choice(self.stored)
        return body

    def _fitting(self) -> Request:
        path = self.numbers.choice(list(SCHEMAS))
        return self._post("fitting", path, self._body(path))

    def _broken(self) -> Request:
        path = self.numbers.choice(list(SCHEMAS))
        return self._post("broken", path, self.bodies.broken(self._body(path)))

    def _damaged(self) -> Request:
        """Bytes that were JSON, or never were."""
        request = self._fitting()
        start = self.numbers.randrange(len(request.body))
        end = min(len(request.body), start + self.numbers.randrange(8))
        junk = self.numbers.randbytes(self.numbers.randrange(4))
        raw = self.numbers.choice(
            [
                request.body[:start] + junk + request.body[end:],
                request.body[:start],
                b"[" * 50_000,
                b'{"a":' * 50_000,
                b"\xef\xbb\xbf" + request.body,
                request.body.decode().encode("utf-16"),
                b"",
            ]
        )
        return replace(request, kind="damaged", body=raw, statuses=ANY, fits=False)

    def _with_harmless_headers(self) -> Request:
        request = self._fitting()
        odd = self.numbers.choice(HARMLESS)
        return replace(request, kind="harmless headers", headers={**request.headers, **odd})

    def _with_refused_headers(self) -> Request:
        request = self._fitting()
        status, odd = self.numbers.choice(REFUSED)
        headers = {**request.headers, **odd}
        return replace(
            request,
            kind="refused headers",
            headers=headers,
            statuses=frozenset({status}),
            fits=False,
        )

    def _left(self) -> Request:
        path = self.numbers.choice([path for path in SCHEMAS if path != "/v1/embeddings"])
        body = {**self._body(path), "stream": True, "max_tokens": 500}
        return replace(self._post("left", path, body), leaves=True)

    def _read(self) -> Request:
        path = self.numbers.choice(READS)
        name = quote(self.numbers.choice(NAMES), safe=self.numbers.choice(["", "/", "/."]))
        query = self.numbers.choice(QUERIES)
        method = self.numbers.choice(["GET", "GET", "HEAD"])
        named = "{" in path
        url = (path.partition("{")[0] + name if named else path) + query
        told = DOCUMENT["paths"][path]["get"]["responses"]
        # An odd name may lead elsewhere, or nowhere; what asks for parameters may refuse.
        statuses = ANY if named else frozenset(map(int, told.keys() - GUARDED))
        return Request("read", method, url, statuses, None if named else path)

    def _of_a_page(self) -> Request:
        method, path = self.numbers.choice(OWN)
        told = DOCUMENT["paths"][path][method]
        body = self.bodies.fitting(told["requestBody"]["content"][JSON]["schema"])
        body = self.bodies.broken(body) if self.numbers.random() < 0.5 else body
        return Request(
            kind="of a page",
            method=method.upper(),
            url=path,
            statuses=frozenset(map(int, told["responses"].keys() - GUARDED)),
            path=path,
            body=json.dumps(body).encode(),
            headers={"content-type": JSON},
        )

    def _with_odd_method(self) -> Request:
        path = self.numbers.choice(list(DOCUMENT["paths"]))
        told = DOCUMENT["paths"][path]
        method = self.numbers.choice([name for name in ODD_METHODS if name.lower() not in told])
        url = path.replace("{model_id}", "scripted").replace("{response_id}", "resp_0")
        return Request("odd method", method, url, frozenset({405}))

    def _of_stored_response(self) -> Request:
        path = "/v1/responses/{response_id}"
        wire_id = self.numbers.choice(self.stored or ["resp_0"])
        method = self.numbers.choice(["GET", "GET", "DELETE"])
        url = path.replace("{response_id}", wire_id)
        return Request("stored response", method, url, frozenset({200, 404}), path)

    def _to_nowhere(self) -> Request:
        url = self.numbers.choice(
            [
                "/v1/",
                "/v1/chat",
                "/v2/models",
                "/api",
                "/api/",
                "//v1/models",
                "/v1/models/",
                "/stats/",
            ]
        )
        method = self.numbers.choice(["GET", "HEAD", "POST", "PUT"])
        return Request("nowhere", method, url, frozenset({404}))
