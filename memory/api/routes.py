"""What the memory panel reads: the vault as it is. Only `init` writes.

Without a vault every route but that one answers that there is none, before it reads anything.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest, JsonResponse
from ninja import Router

from hub.api.answers import BadRequest, success
from hub.api.body import read_object
from memory.api import rows
from memory.api.parameters import read_limit, read_name, read_query, read_revision
from memory.catalog import Catalog, Entry, Snapshot
from memory.config import VaultConfig
from memory.errors import ArticleNotFound, NoVault, RevisionNotFound
from memory.search import pages_in
from memory.search import search as find
from memory.setup.location import confined
from memory.setup.setup import set_up
from memory.vault import Vault

router = Router(tags=["Memory"])

READ = ["GET", "HEAD"]


@dataclass(frozen=True, slots=True)
class _Reader:
    """The vault and its pages, for one request. Blocks."""

    vault: Vault
    snapshot: Snapshot

    def article(self, name: str) -> Entry:
        """Raises ArticleNotFound, for pages of reference too."""
        entry = self.snapshot.get(name)
        if entry.is_reference:
            raise ArticleNotFound
        return entry


async def _answer(work: Callable[[_Reader], dict[str, Any]]) -> JsonResponse:
    """Do what reads the disk on a thread. Raises NoVault and whatever `work` raises."""
    catalog: Catalog = settings.CATALOG

    def read() -> dict[str, Any]:
        return work(_Reader(catalog.vault, catalog.snapshot()))

    return success(**await asyncio.to_thread(read))


@router.api_operation(READ, "/api/memory/status")
async def status(request: HttpRequest) -> JsonResponse:
    vault: Vault = settings.VAULT
    if not await asyncio.to_thread(lambda: vault.exists):
        raise NoVault
    told = await asyncio.to_thread(rows.status_row, vault)
    return JsonResponse({"ok": True, "enabled": True, "status": told})


@router.api_operation(READ, "/api/memory/list")
async def list_pages(request: HttpRequest) -> JsonResponse:
    return await _answer(
        lambda reader: {
            "articles": list(reader.snapshot.articles),
            "reference": list(reader.snapshot.reference),
        }
    )


@router.api_operation(READ, "/api/memory/search")
async def search(request: HttpRequest) -> JsonResponse:
    def work(reader: _Reader) -> dict[str, Any]:
        pages = pages_in(reader.snapshot, request.GET.get("scope", ""))
        return rows.found_rows(find(pages, read_query(request), read_limit(request)))

    return await _answer(work)


@router.api_operation(READ, "/api/memory/article")
async def article(request: HttpRequest) -> JsonResponse:
    return await _answer(
        lambda reader: rows.article_row(reader.snapshot.get(read_name(request)), reader.vault)
    )


@router.api_operation(READ, "/api/memory/links")
async def links(request: HttpRequest) -> JsonResponse:
    def work(reader: _Reader) -> dict[str, Any]:
        name = reader.article(read_name(request)).name
        inbound = reader.snapshot.inbound.get(name, [])
        return {"name": name, "outbound": reader.snapshot.outbound(name), "inbound": inbound}

    return await _answer(work)


@router.api_operation(READ, "/api/memory/history")
async def history(request: HttpRequest) -> JsonResponse:
    def work(reader: _Reader) -> dict[str, Any]:
        entry = reader.article(read_name(request))
        git = reader.vault.git
        is_repository = git.is_repository
        path = reader.vault.git_path_of(entry.file)
        revisions = git.history(path, read_limit(request)) if is_repository else []
        return {
            "name": entry.name,
            "isGitRepo": is_repository,
            "entries": [{"hash": r.hash, "date": r.date, "subject": r.subject} for r in revisions],
        }

    return await _answer(work)


@router.api_operation(READ, "/api/memory/diff")
async def diff(request: HttpRequest) -> JsonResponse:
    def work(reader: _Reader) -> dict[str, Any]:
        name, revision = read_name(request), read_revision(request)
        entry = reader.article(name)
        git = reader.vault.git
        path = reader.vault.git_path_of(entry.file)
        text = git.diff(revision, path) if git.is_repository else ""
        if not text:
            raise RevisionNotFound
        return {"name": entry.name, "rev": revision, "diff": text}

    return await _answer(work)


@router.post("/api/memory/init")
async def init(request: HttpRequest) -> JsonResponse:
    vault: Vault = settings.VAULT
    path = read_object(request).get("path")
    if path is not None:
        if not isinstance(path, str):
            raise BadRequest("path must be text")
        vault = Vault(VaultConfig(confined(path, vault.root), vault.docs_root))
    result = await asyncio.to_thread(set_up, vault)
    told = await asyncio.to_thread(rows.status_row, vault)
    return JsonResponse({"ok": True, "result": rows.setup_row(result), "status": told})
