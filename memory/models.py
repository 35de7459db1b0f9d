"""What the articles say, as rows: for the admin pages, and for questions that go across articles.

    Entity ─┬─ EntityAlias       other names of what the article is about
            ├─ InfoboxFact       the fields of its infobox
            ├─ ArticleCategory ─ Category
            └─ Link              where it leads

The files are the truth: every row can be dropped and made again from them (`memory.index`).
"""

from django.db import models

from memory.article.infobox import EntityKind, FieldKind
from memory.links import Via
from memory.synthesis import models as ledger  # noqa: F401 - Django looks for tables here

LONGEST_NAME = 255


def choices(words: type[EntityKind] | type[FieldKind] | type[Via]) -> list[tuple[str, str]]:
    return [(str(word), str(word)) for word in words]


class Entity(models.Model):
    """An article, and what it is about.

    modified_ns, size: of the file when it was read; another pair means that it has changed.
    redirect: the article that stands for this one; empty for most.
    problems: how many `memory.article.check` finds.
    """

    stem = models.CharField("article", max_length=LONGEST_NAME, primary_key=True)
    title = models.CharField(max_length=LONGEST_NAME)
    kind = models.CharField(max_length=16, choices=choices(EntityKind))
    type = models.CharField(max_length=LONGEST_NAME, blank=True)
    series = models.CharField(max_length=LONGEST_NAME, blank=True)
    redirect = models.CharField(max_length=LONGEST_NAME, blank=True)
    lead = models.TextField(blank=True)
    is_stub = models.BooleanField("stub", default=False)
    words = models.PositiveIntegerField()
    problems = models.PositiveIntegerField(default=0)
    modified_ns = models.BigIntegerField()
    modified = models.DateTimeField(db_index=True)
    size = models.PositiveBigIntegerField("bytes")

    class Meta:
        verbose_name = "article"
        ordering = ("stem",)

    def __str__(self) -> str:
        return self.title


class EntityAlias(models.Model):
    """A name of an article; folded: as names are compared. Its title is one."""

    entity = models.ForeignKey(Entity, models.CASCADE, related_name="aliases")
    name = models.CharField(max_length=LONGEST_NAME)
    folded = models.CharField(max_length=LONGEST_NAME, db_index=True)

    class Meta:
        verbose_name = "alias"
        verbose_name_plural = "aliases"
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class Category(models.Model):
    name = models.CharField(max_length=LONGEST_NAME, unique=True)

    class Meta:
        verbose_name_plural = "categories"
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class ArticleCategory(models.Model):
    entity = models.ForeignKey(Entity, models.CASCADE, related_name="categories")
    category = models.ForeignKey(Category, models.CASCADE, related_name="articles")

    class Meta:
        verbose_name = "article of a category"
        verbose_name_plural = "articles of categories"
        ordering = ("category", "entity")
        constraints = (
            models.UniqueConstraint(fields=["entity", "category"], name="once_in_category"),
        )

    def __str__(self) -> str:
        return f"{self.entity_id} in {self.category}"


class InfoboxFact(models.Model):
    """A field of an infobox. position: its place there, from 0."""

    entity = models.ForeignKey(Entity, models.CASCADE, related_name="facts")
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=LONGEST_NAME, db_index=True)
    value = models.TextField(blank=True)
    kind = models.CharField(max_length=16, choices=choices(FieldKind))

    class Meta:
        verbose_name = "fact"
        ordering = ("entity", "position")

    def __str__(self) -> str:
        return f"{self.key}: {self.value}"


class Link(models.Model):
    """A link of an article. target: a stem; there may be no such article yet."""

    source = models.ForeignKey(Entity, models.CASCADE, related_name="links")
    target = models.CharField(max_length=LONGEST_NAME, db_index=True)
    anchor = models.CharField(max_length=LONGEST_NAME, blank=True)
    via = models.CharField(max_length=16, choices=choices(Via))

    class Meta:
        ordering = ("source", "id")

    def __str__(self) -> str:
        return f"{self.source_id} → {self.target}"
