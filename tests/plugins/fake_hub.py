"""A Hugging Face Hub on loopback: what `huggingface_hub` asks for, and every way to fail.

`fake_hub.add("owner/name", {"config.json": b"…"})` publishes a repo. Weights are kept apart, as
LFS does: `resolve` redirects to them on another host name, which must see no token. What is
uploaded becomes a repo as well; see `tests.plugins.fake_hub_uploads`.
"""

import hashlib
import json
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from huggingface_hub import close_session

from tests.plugins.fake_hub_uploads import UploadRoutes

BLOCK = 1 << 16


@dataclass
class Fault:
    """What happens to a file on its way, `times` times; sizes in bytes of the whole file.

    cut_at: the connection breaks there. cuts: the same, another place for each time.
    hold_at: nothing more comes until `release`; `held` is set meanwhile.
    flip: the first byte sent is another. ignore_range: the file starts from the beginning.
    end_at: the file ends there, and claims to. status: the answer, in place of the file.
    """

    times: int = 10**9
    cut_at: int | None = None
    cuts: list[int] = field(default_factory=list)
    hold_at: int | None = None
    flip: bool = False
    ignore_range: bool = False
    end_at: int | None = None
    status: int | None = None
    held: threading.Event = field(default_factory=threading.Event)
    release: threading.Event = field(default_factory=threading.Event)


@dataclass
class FakeRepo:
    """files: contents by path. gated: who has no token, or another than `token`, is refused.

    private: the Hub says so of it; nobody is refused for that.
    """

    repo_id: str
    files: dict[str, bytes]
    gated: bool = False
    token: str = "hf_right"
    tags: tuple[str, ...] = ("mlx",)
    hidden: frozenset[str] = frozenset()
    private: bool = False

    @property
    def commit(self) -> str:
        names = "".join(f"{path}{blob_name(path, data)}" for path, data in self.files.items())
        return hashlib.sha1(f"{self.repo_id}{names}".encode()).hexdigest()


def is_lfs(path: str) -> bool:
    return path.endswith((".safetensors", ".bin"))


def blob_name(path: str, data: bytes) -> str:
    """The hash under which the Hub keeps a file."""
    if is_lfs(path):
        return hashlib.sha256(data).hexdigest()
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


class FakeHub:
    """The server. url: without a slash at the end.

    sent: bytes of content that left, by path. offsets: where each answer for a path began.
    requests: method and path of each, in order.
    seen_tokens: what came as Authorization, by the host that was asked.
    search_body: the answer to every search, in place of a true one.
    model_body, model_status: to every question about a repo.
    blobs: large files that were uploaded, by hash. part_bytes: what is larger goes in parts.
    Datasets are in `repos` as "datasets/owner/name".
    """

    def __init__(self) -> None:
        self.repos: dict[str, FakeRepo] = {}
        self.faults: dict[str, Fault] = {}
        self.sent: Counter[str] = Counter()
        self.offsets: defaultdict[str, list[int]] = defaultdict(list)
        self.requests: list[str] = []
        self.seen_tokens: list[tuple[str, str]] = []
        self.down = False
        self.search_body: bytes | None = None
        self.model_body: bytes | None = None
        self.model_status = 200
        self.blobs: dict[str, bytes] = {}
        self.part_bytes = 10**9
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.hub = self  # type: ignore[attr-defined]
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def add(self, repo_id: str, files: Mapping[str, bytes], **options: Any) -> FakeRepo:
        repo = FakeRepo(repo_id, dict(files), **options)
        self.repos[repo_id] = repo
        return repo

    def fail(self, path: str, **fault: Any) -> Fault:
        self.faults[path] = Fault(**fault)
        return self.faults[path]

    def stop(self) -> None:
        for fault in self.faults.values():
            fault.release.set()
        self._server.shutdown()
        self._server.server_close()


class _Handler(UploadRoutes, BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or headers and body wait for each other

    @property
    def hub(self) -> FakeHub:
        return self.server.hub  # type: ignore[attr-defined, no-any-return]

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.do_GET()

    def note(self) -> str:
        """Remember the request; return its path."""
        path = unquote(urlsplit(self.path).path).strip("/")
        self.hub.requests.append(f"{self.command} /{path}")
        host = self.headers["Host"].partition(":")[0]
        self.hub.seen_tokens.append((host, self.headers.get("Authorization", "")))
        return path

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        path = self.note()
        if self.hub.down:
            self._json(503, {"error": "down for maintenance"})
        elif path == "api/models":
            self._search(parse_qs(url.query))
        elif path.startswith("api/models/"):
            self._describe(path.removeprefix("api/models/").split("/"))
        elif path.startswith("api/datasets/"):
            self._describe(path.removeprefix("api/").split("/"))
        elif path.startswith("cdn/"):
            repo_id, _, file = path.removeprefix("cdn/").partition("/-/")
            self._content(self.hub.repos[repo_id], file)
        else:
            self._resolve(path.split("/"))

    def _search(self, query: dict[str, list[str]]) -> None:
        if self.hub.search_body is not None:
            self._answer(200, self.hub.search_body)
            return
        wanted, tag = query["search"][0].lower(), query["filter"][0]
        rows = [
            {"id": repo.repo_id, "modelId": repo.repo_id, "downloads": 7, "likes": 3}
            for repo in self.hub.repos.values()
            if wanted in repo.repo_id.lower() and tag in repo.tags
        ]
        self._json(200, rows)

    def _describe(self, parts: list[str]) -> None:
        if self.hub.model_body is not None:
            self._answer(self.hub.model_status, self.hub.model_body)
            return
        length = 3 if parts[0] == "datasets" else 2
        repo = self._repo(parts, length)
        if repo is None:
            return
        action, revision = parts[length : length + 1], "/".join(parts[length + 1 :]) or "main"
        if revision not in ("main", repo.commit):
            self._refuse(404, "RevisionNotFound")
        elif action == ["tree"]:
            self._json(200, [_entry(path, data) for path, data in repo.files.items()])
        else:
            names = {"id": repo.repo_id, "modelId": repo.repo_id, "sha": repo.commit}
            siblings = [_sibling(path, data) for path, data in repo.files.items()]
            self._json(200, {**names, "private": repo.private, "siblings": siblings})

    def _resolve(self, parts: list[str]) -> None:
        length = 3 if parts[0] == "datasets" else 2
        repo = self._repo(parts, length)
        if repo is None:
            return
        file = "/".join(parts[length + 2 :])
        if repo.gated and self.headers.get("Authorization") != f"Bearer {repo.token}":
            self._refuse(403 if self.headers.get("Authorization") else 401, "GatedRepo")
        elif file not in repo.files or file in repo.hidden:
            self._refuse(404, "EntryNotFound")
        elif is_lfs(file):
            data = repo.files[file]
            self.send_response(302)
            self.send_header("X-Repo-Commit", repo.commit)
            self.send_header("X-Linked-Etag", f'"{blob_name(file, data)}"')
            self.send_header("X-Linked-Size", str(len(data)))
            self.send_header(
                "Location", f"http://localhost:{self.hub.port}/cdn/{repo.repo_id}/-/{file}"
            )
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            self._content(repo, file)

    def _repo(self, parts: list[str], length: int = 2) -> FakeRepo | None:
        repo = self.hub.repos.get("/".join(parts[:length]))
        if repo is None:
            self._refuse(401, "RepoNotFound")
        return repo

    def _content(self, repo: FakeRepo, file: str) -> None:
        data, fault = repo.files[file], self._fault(file)
        if fault.status is not None:
            self._json(fault.status, {"error": "as the test wants it"})
            return
        wanted = self.headers.get("Range")
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        if fault.ignore_range:
            start, wanted = 0, None
        self.send_response(206 if wanted else 200)
        self.send_header("ETag", f'"{blob_name(file, data)}"')
        self.send_header("X-Repo-Commit", repo.commit)
        self.send_header("Accept-Ranges", "bytes")
        end = len(data) if fault.end_at is None else fault.end_at
        self.send_header("Content-Length", str(max(end - start, 0)))
        if wanted:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        self.end_headers()
        if self.command != "HEAD":
            self.hub.offsets[file].append(start)
            self._send(file, data[:end], start, fault)

    def _send(self, file: str, data: bytes, start: int, fault: Fault) -> None:
        place = start
        stops = sorted(stop for stop in (fault.cut_at, fault.hold_at) if stop is not None)
        try:
            while place < len(data):
                if fault.hold_at is not None and place >= fault.hold_at:
                    fault.held.set()
                    fault.release.wait(30)
                if fault.cut_at is not None and place >= fault.cut_at:
                    self.close_connection = True
                    return
                end = min([place + BLOCK, len(data), *(stop for stop in stops if stop > place)])
                block = data[place:end]
                if fault.flip and place == start:
                    block = bytes([block[0] ^ 1]) + block[1:]
                self.wfile.write(block)
                self.hub.sent[file] += len(block)
                place = end
        except ConnectionError:
            self.close_connection = True

    def _fault(self, file: str) -> Fault:
        fault = self.hub.faults.get(file)
        if fault is None or self.command == "HEAD" or fault.times <= 0:
            return Fault()
        fault.times -= 1
        return replace(fault, cut_at=fault.cuts.pop(0)) if fault.cuts else fault

    def _refuse(self, status: int, code: str) -> None:
        self._json(status, {"error": code}, {"X-Error-Code": code})

    def _json(self, status: int, value: Any, headers: Mapping[str, str] | None = None) -> None:
        self._answer(status, json.dumps(value).encode(), headers)

    def _answer(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, text in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _sibling(path: str, data: bytes) -> dict[str, Any]:
    entry = {"rfilename": path, "size": len(data), "blobId": hashlib.sha1(data).hexdigest()}
    if is_lfs(path):
        lfs = {"sha256": blob_name(path, data), "size": len(data), "pointerSize": 134}
        return {**entry, "lfs": lfs}
    return {**entry, "blobId": blob_name(path, data)}


def _entry(path: str, data: bytes) -> dict[str, Any]:
    entry = {"type": "file", "path": path, "size": len(data), "oid": blob_name(path, data)}
    if is_lfs(path):
        return {**entry, "lfs": {"oid": blob_name(path, data), "size": len(data), "pointerSize": 1}}
    return entry


@pytest.fixture
def fake_hub() -> Iterator[FakeHub]:
    hub = FakeHub()
    yield hub
    hub.stop()
    close_session()  # its connections lead to a port that another server may get
