"""What the routes of the memory answer with, as plain values."""

from typing import Any

from memory.article.article import Article
from memory.article.blocks import Block
from memory.article.infobox import Field, Infobox
from memory.catalog import Entry
from memory.search import Found, Hit, Summary
from memory.setup.setup import SetupResult
from memory.vault import Vault

RECENT = 5  # articles


def status_row(vault: Vault) -> dict[str, Any]:
    articles = vault.articles()
    newest = sorted(articles, key=lambda file: (-file.modified_ns, file.name))[:RECENT]
    return {
        "root": str(vault.root),
        "exists": vault.exists,
        "articleCount": len(articles),
        "referenceCount": len(vault.reference()),
        "isGitRepo": vault.git.is_repository,
        "recentArticles": [
            {"article": file.name, "mtimeMs": file.modified_ns // 10**6} for file in newest
        ],
    }


def setup_row(result: SetupResult) -> dict[str, Any]:
    return {
        "root": str(result.root),
        "created": result.created,
        "gitInitialized": result.git_initialized,
        "alreadySetUp": result.already_set_up,
    }


def article_row(entry: Entry, vault: Vault) -> dict[str, Any]:
    """The page with what its header says. partial: where the file is too large or no UTF-8."""
    article: Article = entry.article
    return {
        "name": entry.name,
        "path": vault.git_path_of(entry.file),
        "content": article.render(),
        "infobox": _infobox_row(article.infobox) if article.infobox else None,
        "lead": article.lead,
        "series": article.series,
        "structure": [_block_row(block) for block in article.blocks],
        **({} if entry.is_whole else {"partial": True}),
    }


def found_rows(found: Found) -> dict[str, Any]:
    return {
        "summaries": [_summary_row(summary, len(found.terms)) for summary in found.summaries],
        "hits": [_hit_row(hit) for hit in found.hits],
    }


def _infobox_row(infobox: Infobox) -> dict[str, Any]:
    return {
        "type": infobox.type,
        "entityKind": str(infobox.entity_kind),
        "fields": [_field_row(fact) for fact in infobox.facts],
    }


def _field_row(fact: Field) -> dict[str, Any]:
    return {
        "key": fact.key,
        "value": fact.value,
        "isEntityLink": bool(fact.links),
        "kind": str(fact.kind),
    }


def _block_row(block: Block) -> dict[str, Any]:
    row: dict[str, Any] = {"kind": block.kind}
    if block.title is not None:
        row |= {"title": block.title, "depth": block.depth}
    return {**row, "startLine": block.first, "endLine": block.last}


def _summary_row(summary: Summary, term_count: int) -> dict[str, Any]:
    row: dict[str, Any] = {"article": summary.name, "occurrences": summary.occurrences}
    if term_count > 1:
        row["matched_terms"] = list(summary.matched_terms)
    if summary.title_matches:
        row["title_matches"] = summary.title_matches
    return row


def _hit_row(hit: Hit) -> dict[str, Any]:
    return {"article": hit.name, "anchor": hit.anchor, "line": hit.line, "excerpt": hit.excerpt}
