"""What the ledger says once a write is done: JSON until then, so that a crash loses none of it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

from memory.synthesis.models import ChunkSection, RoutedChunk, Subject


@dataclass(frozen=True, slots=True)
class SectionMark:
    """The fields of a `ChunkSection`; outcome: of `Outcome`."""

    chunk: str
    section: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Marks:
    """All about one article.

    about: key of the subject that it is now about. routed: ids of chunks that its sections were
    asked for. needs_reconciling: None leaves that as it is. wikified: parts that were tidied.
    """

    sections: Sequence[SectionMark] = ()
    about: str | None = None
    routed: Sequence[str] = ()
    needs_reconciling: bool | None = None
    wikified: Sequence[str] = field(default=())

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        sections = [SectionMark(**mark) for mark in data["sections"]]
        return cls(**{**data, "sections": sections})

    def write(self, article: str) -> None:
        """Write all but what belongs to the article's state. Inside of a transaction."""
        for mark in self.sections:
            ChunkSection.objects.update_or_create(
                chunk_id=mark.chunk,
                article=article,
                section=mark.section,
                defaults={"outcome": mark.outcome, "reason": ""},
            )
        if self.about is not None:
            Subject.objects.filter(pk=self.about).update(article=article)
        for chunk in self.routed:
            RoutedChunk.objects.get_or_create(chunk_id=chunk, article=article)
