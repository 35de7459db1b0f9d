"""Keeps the rows of `memory.models` in step with the articles. Blocks: Django's thread."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.db import models, transaction

from memory.article.check import check
from memory.catalog import Catalog, Entry, Snapshot
from memory.errors import NoVault
from memory.folding import fold_name
from memory.models import (
    LONGEST_NAME,
    ArticleCategory,
    Category,
    Entity,
    EntityAlias,
    InfoboxFact,
    Link,
)

BATCH = 200  # rows written at once


def refresh(catalog: Catalog | None = None) -> int:
    """Read what has changed since the last time, and forget what has gone.

    Returns how many articles were read. Without a vault there are no rows.
    """
    catalog = catalog or settings.CATALOG
    try:
        snapshot = catalog.snapshot()
    except NoVault:
        snapshot = Snapshot({}, {})
    known = {
        stem: (modified, size)
        for stem, modified, size in Entity.objects.values_list("stem", "modified_ns", "size")
    }
    changed = [
        entry
        for name, entry in snapshot.articles.items()
        if known.get(name) != (entry.file.modified_ns, entry.file.size)
    ]
    gone = known.keys() - snapshot.articles.keys()
    if changed or gone:
        with transaction.atomic():
            _forget([*gone, *(entry.name for entry in changed)])
            _write(changed)
            names_changed = known.keys() != snapshot.articles.keys()
            _write_links(snapshot, None if names_changed else changed)
            Category.objects.filter(articles=None).delete()
    return len(changed)


def rebuild(catalog: Catalog | None = None) -> int:
    """Drop all rows and make them again; returns how many articles there are."""
    with transaction.atomic():
        Entity.objects.all().delete()
        return refresh(catalog)


def _forget(stems: list[str]) -> None:
    for begin in range(0, len(stems), BATCH):
        Entity.objects.filter(stem__in=stems[begin : begin + BATCH]).delete()


def _write(entries: list[Entry]) -> None:
    _create(Entity, map(_entity, entries))
    _create(EntityAlias, (row for entry in entries for row in _aliases(entry)))
    names = {_short(name): None for entry in entries for name in entry.article.categories}
    Category.objects.bulk_create([Category(name=name) for name in names], ignore_conflicts=True)
    ids = dict(Category.objects.values_list("name", "pk"))
    _create(
        ArticleCategory,
        (
            ArticleCategory(entity_id=entry.name, category_id=ids[name])
            for entry in entries
            for name in dict.fromkeys(map(_short, entry.article.categories))
        ),
    )
    _create(InfoboxFact, (row for entry in entries for row in _facts(entry)))


def _write_links(snapshot: Snapshot, entries: list[Entry] | None) -> None:
    """Write the links of some articles; None for all, as links mean other articles now."""
    if entries is None:
        Link.objects.all().delete()
        entries = list(snapshot.articles.values())
    _create(Link, (row for entry in entries for row in _links(entry, snapshot)))


def _create(model: type[models.Model], rows: Iterable[Any]) -> None:
    model._default_manager.bulk_create(list(rows), batch_size=BATCH)


def _entity(entry: Entry) -> Entity:
    article, file = entry.article, entry.file
    infobox = article.infobox
    return Entity(
        stem=entry.name,
        title=_short(article.title),
        kind=infobox.entity_kind if infobox else "thing",
        type=_short(infobox.type or "") if infobox else "",
        series=_short(article.series or ""),
        redirect=_short(article.redirect or ""),
        lead=_clean(article.lead or ""),
        is_stub=article.is_stub,
        words=len(article.text.split()),
        problems=len(check(article)),
        modified_ns=file.modified_ns,
        modified=datetime.fromtimestamp(file.modified_ns / 1e9, UTC),
        size=file.size,
    )


def _aliases(entry: Entry) -> list[EntityAlias]:
    infobox = entry.article.infobox
    names = [entry.article.title, *(infobox.aliases if infobox else [])]
    by_folded = {_short(fold_name(name)): _short(name) for name in reversed(names)}
    return [
        EntityAlias(entity_id=entry.name, name=name, folded=folded)
        for folded, name in by_folded.items()
    ]


def _facts(entry: Entry) -> list[InfoboxFact]:
    infobox = entry.article.infobox
    return [
        InfoboxFact(
            entity_id=entry.name,
            position=position,
            key=_short(fact.key),
            value=_clean(fact.value),
            kind=fact.kind,
        )
        for position, fact in enumerate(infobox.facts if infobox else [])
    ]


def _links(entry: Entry, snapshot: Snapshot) -> list[Link]:
    found = (
        (_short(snapshot.canonical(link.target)), _short(link.anchor), link.via)
        for link in entry.links
    )
    return [
        Link(source_id=entry.name, target=target, anchor=anchor, via=via)
        for target, anchor, via in dict.fromkeys(found)
    ]


def _short(text: str) -> str:
    return _clean(text)[:LONGEST_NAME]


def _clean(text: str) -> str:
    """Leave out what PostgreSQL cannot keep in a text."""
    return text.replace("\0", "")
