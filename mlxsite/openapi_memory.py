"""What the routes of the memory tell of themselves in the OpenAPI document."""

from typing import Any

from inference.api.openapi.operation import answer, operation, query
from inference.api.openapi.refusals import ERROR, REFUSED_READS, REFUSED_WRITES
from inference.api.openapi.schema import (
    Component,
    Schema,
    array,
    boolean,
    either,
    fields,
    integer,
    or_null,
    record,
    text,
    word,
)
from memory.api.parameters import DEFAULT_LIMIT, LARGEST_LIMIT, LONGEST_QUERY
from memory.article.infobox import EntityKind, FieldKind
from mlxsite.openapi_hub import FAILURE

_OK = boolean(const=True)
_NO_VAULT = Component(
    "NoMemoryVault",
    record(
        "There is no vault yet",
        members={
            "ok": boolean(const=False),
            "enabled": boolean(const=False),
            "error": text(),
            "root": text("Where it would be made"),
        },
    ),
)
_STATUS = Component(
    "MemoryStatus",
    record(
        members={
            "root": text("The folder of the vault"),
            "exists": boolean(),
            "articleCount": integer(minimum=0),
            "referenceCount": integer(minimum=0),
            "isGitRepo": boolean("Whether there is a history that can be read"),
            "recentArticles": array(
                record(members={"article": text(), "mtimeMs": integer("Unix time")}),
                "Newest first; five at most",
            ),
        }
    ),
)
_FIELD = record(
    members={
        "key": text(),
        "value": text(),
        "isEntityLink": boolean("Whether it leads to another article"),
        "kind": word(*FieldKind),
    }
)
_INFOBOX = Component(
    "MemoryInfobox",
    record(
        members={
            "type": or_null(text()),
            "entityKind": word(*EntityKind),
            "fields": array(_FIELD, "The others, in order"),
        }
    ),
)
_BLOCK = record(
    "A range of lines, counted from 1, both included; sections hold those below them",
    members={
        "kind": word(
            *("h1", "series", "infobox", "lead", "section", "see-also", "notes", "references")
        ),
        "startLine": integer(minimum=1),
        "endLine": integer(minimum=1),
    },
    optional={"title": text(), "depth": integer(minimum=1, maximum=6)},
)
_ARTICLE = record(
    members={
        "ok": _OK,
        "name": text(),
        "path": text("Of its file, in the vault"),
        "content": text("Its Markdown"),
        "infobox": or_null(_INFOBOX),
        "lead": or_null(text()),
        "series": or_null(text("The article that this is a part of the series on")),
        "structure": array(_BLOCK, "In the order of their first lines"),
    },
    optional={"partial": boolean("The file is too large, or not UTF-8", const=True)},
)
_FOUND = record(
    members={
        "ok": _OK,
        "summaries": array(
            record(
                members={"article": text(), "occurrences": integer(minimum=0)},
                optional={
                    "matched_terms": array(text(), "Of several words, those that it holds"),
                    "title_matches": integer("How many of them its title holds", minimum=1),
                },
            ),
            "The best pages first",
        ),
        "hits": array(
            record(
                members={
                    "article": text(),
                    "anchor": text("Of its section; empty above all of them"),
                    "line": integer(minimum=1),
                    "excerpt": text(),
                }
            ),
            "The best lines first",
        ),
    }
)
_NAME = query("name", text(), "An article, as the list names it")
_PAGE = query("name", text(), "An article or a page of reference, as the list names it")
_LIMIT = query(
    "limit",
    integer(default=DEFAULT_LIMIT),
    f"How many at most, up to {LARGEST_LIMIT}; {DEFAULT_LIMIT} if it is no number above 0",
)


def _read(
    operation_id: str, summary: str, told: Schema, *parameters: dict[str, Any], missing: str = ""
) -> dict[str, dict[str, Any]]:
    """Describe a route that reads. missing: what a 404 means, where there is one."""
    answers = {200: answer("The answer; or that there is no vault", either(told, _NO_VAULT))}
    if parameters:
        answers[400] = answer("A parameter is missing, or means nothing", FAILURE)
    if missing:
        answers[404] = answer(missing, FAILURE)
    unable = (
        "git does not answer; the folder of articles cannot be read, or leads out of the vault; "
        "or the server is shutting down"
    )
    answers |= {**REFUSED_READS, 503: answer(unable, either(FAILURE, ERROR))}
    return {"get": operation(operation_id, summary, parameters=parameters, answers=answers)}


_INIT = operation(
    "initMemory",
    "Make a vault, or what is missing of it",
    "What is there stays as it is, so it can be called as often as one likes. Only pages that an "
    "earlier version made and nobody has edited are brought up to date.",
    body=fields(
        optional={
            "path": text("Another folder, below the one of the vault or a temporary one"),
        }
    ),
    answers={
        200: answer(
            "What was made, and how the vault is now",
            record(
                members={
                    "ok": _OK,
                    "result": record(
                        members={
                            "root": text(),
                            "created": array(text(), "Files and folders, folders with a slash"),
                            "gitInitialized": boolean("Whether the repository was made now"),
                            "alreadySetUp": boolean("Whether nothing was missing"),
                        }
                    ),
                    "status": _STATUS,
                }
            ),
        ),
        400: answer("A path where no vault may be", FAILURE),
        507: answer("The disk refused", FAILURE),
        **REFUSED_WRITES,
    },
)

PATHS: dict[str, dict[str, dict[str, Any]]] = {
    "/api/memory/status": _read(
        "getMemoryStatus",
        "How much there is",
        record(members={"ok": _OK, "enabled": boolean(const=True), "status": _STATUS}),
    ),
    "/api/memory/list": _read(
        "listMemory",
        "The names of all pages",
        record(members={"ok": _OK, "articles": array(text()), "reference": array(text())}),
    ),
    "/api/memory/search": _read(
        "searchMemory",
        "Search in the pages",
        _FOUND,
        query("q", text(maxLength=LONGEST_QUERY), "Words; letter case does not matter"),
        query("scope", text(default="all"), "articles, reference, or anything else for all"),
        _LIMIT,
    ),
    "/api/memory/article": _read(
        "getMemoryArticle",
        "A page, and what it says of itself",
        _ARTICLE,
        _PAGE,
        missing="No such page",
    ),
    "/api/memory/links": _read(
        "getMemoryLinks",
        "Where an article leads, and what leads there",
        record(
            members={
                "ok": _OK,
                "name": text(),
                "outbound": array(text(), "In the order of the text; some may not be written yet"),
                "inbound": array(text()),
            }
        ),
        _NAME,
        missing="No such article",
    ),
    "/api/memory/history": _read(
        "getMemoryHistory",
        "The commits that changed an article, newest first",
        record(
            members={
                "ok": _OK,
                "name": text(),
                "isGitRepo": boolean(),
                "entries": array(
                    record(
                        members={
                            "hash": text(),
                            "date": text("YYYY-MM-DD"),
                            "subject": text(),
                        }
                    )
                ),
            }
        ),
        _NAME,
        _LIMIT,
        missing="No such article",
    ),
    "/api/memory/diff": _read(
        "getMemoryDiff",
        "What a commit changed in an article",
        record(members={"ok": _OK, "name": text(), "rev": text(), "diff": text()}),
        _NAME,
        query("rev", text(pattern="^[0-9a-f]{4,40}$"), "The hash of a commit"),
        missing="No such article, or a commit that did not change it",
    ),
    "/api/memory/schedule": {
        "get": operation(
            "getMemorySchedule",
            "When chats become articles by themselves",
            answers={
                200: answer(
                    "There need be no vault for it",
                    record(
                        members={
                            "ok": _OK,
                            "at": or_null(text("HH:MM by the server's clock; null for never")),
                        }
                    ),
                ),
                **REFUSED_READS,
            },
        )
    },
    "/api/memory/init": {"post": _INIT},
}
