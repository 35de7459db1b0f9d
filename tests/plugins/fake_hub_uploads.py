"""The half of the fake Hub that takes uploads: repos, small files, large ones, commits.

A step fails by `fake_hub.fail(step, …)`, with a step of STEPS: `status` is its answer, and
`cut_at` breaks the connection when so many bytes of a large file came.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from typing import Any

STEPS = ("create", "validate", "preupload", "batch", "put", "commit")
WRITE_TOKEN, READ_TOKEN = "hf_right", "hf_reads"
REASON = "as the test wants it"
LARGE_BYTES = 10_000  # larger files are kept apart, whatever their name


class UploadRoutes:
    """Mixed into the handler: `do_POST` and `do_PUT`."""

    hub: Any
    headers: Any
    path: str

    def do_POST(self) -> None:
        path = self.note()  # type: ignore[attr-defined]
        self._body = self.rfile.read(int(self.headers["Content-Length"] or 0))  # type: ignore[attr-defined]
        if path.startswith("lfs/"):
            self._finish_parts(path.split("/")[1])
        elif not self._may_write():
            pass
        elif path == "api/repos/create":
            self._step("create", self._create)
        elif path == "api/validate-yaml":
            self._step("validate", self._validate)
        elif path.endswith("/info/lfs/objects/batch"):
            self._step("batch", self._batch)
        elif "/preupload/" in path:
            self._step("preupload", lambda: self._preupload(path))
        elif "/commit/" in path:
            self._step("commit", lambda: self._commit(path))
        else:
            self._refuse(404, "NotFound")

    def do_PUT(self) -> None:
        """A large file, or a part of one, at the storage: no token has any business there."""
        _, oid, *part = self.note().split("/")  # type: ignore[attr-defined]
        fault = self._fault("put")
        length = int(self.headers["Content-Length"])
        if fault.cut_at is not None:
            self.rfile.read(min(fault.cut_at, length))  # type: ignore[attr-defined]
            self.close_connection = True
            self.connection.close()  # type: ignore[attr-defined]
            return
        data = self.rfile.read(length)  # type: ignore[attr-defined]
        if fault.status is not None:
            self._json(fault.status, {"error": REASON})
            return
        self.hub.blobs["/".join([oid, *part])] = data
        self._answer(200, b"", {"ETag": f'"{hashlib.md5(data).hexdigest()}"'})

    def _step(self, name: str, act: Any) -> None:
        fault = self._fault(name)
        if fault.status is None:
            act()
        else:
            self._json(fault.status, {"error": REASON})

    def _may_write(self) -> bool:
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if token == WRITE_TOKEN:
            return True
        if token == READ_TOKEN:
            self._json(403, {"error": "you must use a write token"})
        else:
            self._json(401, {"error": "Invalid username or password."})
        return False

    def _create(self) -> None:
        asked = json.loads(self._body)
        repo_id = "/".join(filter(None, [asked["organization"], asked["name"]]))
        key = f"datasets/{repo_id}" if asked.get("type") == "dataset" else repo_id
        page = {"url": f"{self.hub.url}/{key}"}
        if key in self.hub.repos:
            self._json(409, {**page, "error": "You already created this repo"})
            return
        self.hub.add(key, {}, private=asked.get("visibility") == "private")
        self._json(200, page)

    def _validate(self) -> None:
        content = json.loads(self._body)["content"]
        if "license: none-of-the-list" in content:
            self._json(400, {"errors": [{"message": '"license" must be one of the list'}]})
        else:
            self._json(200, {"errors": [], "warnings": []})

    def _preupload(self, path: str) -> None:
        repo = self._written(path)
        files = []
        for file in json.loads(self._body)["files"]:
            known = repo.files.get(file["path"]) if repo else None
            files.append(
                {
                    "path": file["path"],
                    "uploadMode": "lfs" if _is_large(file["path"], file["size"]) else "regular",
                    "shouldIgnore": False,
                    "oid": _hash(file["path"], known) if known is not None else None,
                }
            )
        self._json(200, {"files": files})

    def _batch(self) -> None:
        storage = f"http://localhost:{self.hub.port}/lfs"  # another host, as the Hub's is
        objects = []
        for file in json.loads(self._body)["objects"]:
            oid, size = file["oid"], file["size"]
            upload: dict[str, Any] = {"href": f"{storage}/{oid}"}
            if size > self.hub.part_bytes:
                count = -(-size // self.hub.part_bytes)
                parts = {str(n): f"{storage}/{oid}/{n}" for n in range(1, count + 1)}
                upload["header"] = {"chunk_size": str(self.hub.part_bytes), **parts}
            known = oid in self.hub.blobs
            objects.append(
                {"oid": oid, "size": size, **({} if known else {"actions": {"upload": upload}})}
            )
        self._json(200, {"transfer": "basic", "objects": objects})

    def _finish_parts(self, oid: str) -> None:
        count = len(json.loads(self._body)["parts"])
        parts = (self.hub.blobs.pop(f"{oid}/{number}") for number in range(1, count + 1))
        self.hub.blobs[oid] = b"".join(parts)
        self._json(200, {})

    def _commit(self, path: str) -> None:
        repo = self._written(path)
        if repo is None:
            self._refuse(404, "RepoNotFound")
            return
        for line in self._body.splitlines():
            operation = json.loads(line)
            value = operation["value"]
            if operation["key"] == "file":
                repo.files[value["path"]] = base64.b64decode(value["content"])
            elif operation["key"] == "lfsFile":
                repo.files[value["path"]] = self.hub.blobs[value["oid"]]
        page = f"{self.hub.url}/{repo.repo_id}/commit/{repo.commit}"
        self._json(200, {"success": True, "commitOid": repo.commit, "commitUrl": page})

    def _written(self, path: str) -> Any:
        """The repo of `api/<models|datasets>/owner/name/…`."""
        kind, owner, name = path.split("/")[1:4]
        return self.hub.repos.get(
            "/".join((["datasets"] if kind == "datasets" else []) + [owner, name])
        )

    def _fault(self, file: str) -> Any:
        raise NotImplementedError

    def _json(self, status: int, value: Any, headers: Mapping[str, str] | None = None) -> None:
        raise NotImplementedError

    def _answer(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        raise NotImplementedError

    def _refuse(self, status: int, code: str) -> None:
        raise NotImplementedError


def _is_large(path: str, size: int) -> bool:
    return path.endswith((".safetensors", ".bin")) or size > LARGE_BYTES


def _hash(path: str, data: bytes) -> str:
    if _is_large(path, len(data)):
        return hashlib.sha256(data).hexdigest()
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
