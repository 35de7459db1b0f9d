"""The library as rows, for pages that search, filter and sort in the database."""

from collections.abc import Iterator

from django.db import transaction

from hub.library import Entry, Library
from hub.models import LocalModelRow
from hub.registry import Skipped

LARGEST = 2**63 - 1  # what a column takes; a config can say anything

_FIELDS = [field.name for field in LocalModelRow._meta.concrete_fields if field.name != "id"]


def mirror(library: Library) -> None:
    """Make the table say what the scan found; writes only what has changed. Synchronous."""
    found = {row.path: row for row in _rows(library)}
    with transaction.atomic():
        known = {row.path: row for row in LocalModelRow.objects.all()}
        stay = [row.pk for path, row in known.items() if path in found]
        LocalModelRow.objects.exclude(pk__in=stay).delete()
        for path, row in found.items():
            old = known.get(path)
            if old is None or _values(row) != _values(old):
                row.pk = old.pk if old else None  # links to the page of a model go on to work
                row.save()


def _rows(library: Library) -> Iterator[LocalModelRow]:
    yield from map(_model_row, library.entries)
    yield from map(_skipped_row, library.skipped)


def _model_row(entry: Entry) -> LocalModelRow:
    model, assessment, quantization = entry.model, entry.assessment, entry.model.quantization
    return LocalModelRow(
        repo_id=_text(model.repo_id, 512),
        path=_text(str(model.path)),
        snapshot=_text(model.snapshot, 64),
        model_type=_text(model.model_type, 255),
        support=model.tier or LocalModelRow.Support.NONE,
        problem=_text(model.problem),
        size_bytes=_whole(model.weight_bytes),
        quant_bits=_whole(quantization.bits if quantization else None),
        quant_group_size=_whole(quantization.group_size if quantization else None),
        vision=model.capabilities.vision,
        audio=model.capabilities.audio,
        embeddings=model.capabilities.embeddings,
        tools=model.capabilities.tools,
        reasoning=model.capabilities.reasoning,
        fits=assessment.fits if assessment else None,
        total_bytes=_whole(assessment.total_bytes if assessment else None),
        max_safe_context=_whole(assessment.max_safe_context if assessment else None),
        predicted_tps=assessment.predicted_decode_tps if assessment else None,
        measured_tps=entry.measured.tokens_per_second if entry.measured else None,
    )


def _skipped_row(folder: Skipped) -> LocalModelRow:
    return LocalModelRow(
        repo_id=_text(folder.repo_id, 512),
        path=_text(str(folder.path)),
        support=LocalModelRow.Support.NONE,
        problem=_text(f"no model: {folder.reason}"),
    )


def _values(row: LocalModelRow) -> dict[str, object]:
    return {name: getattr(row, name) for name in _FIELDS}


def _text(value: str, longest: int | None = None) -> str:
    """What a database takes: names of folders may be no Unicode, and PostgreSQL takes no NUL."""
    return value.encode(errors="replace").decode().replace("\0", "\ufffd")[:longest]


def _whole(value: int | None) -> int | None:
    return value if value is None else min(value, LARGEST)
