"""Admin pages of the memory: to find and to read, since the files are the truth."""

from contextlib import suppress
from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from hub.admin_pages import ReadOnlyAdmin
from memory import index
from memory.errors import NotListed
from memory.models import ArticleCategory, Category, Entity, EntityAlias, InfoboxFact, Link
from memory.synthesis import admin as ledger  # noqa: F401 - Django looks for admin pages here


class IndexAdmin(ReadOnlyAdmin):
    subtitle = "An index of the articles' files, brought up to date as this list is shown."

    def refresh(self) -> None:
        with suppress(NotListed):  # the rows that there are stay
            index.refresh()


class _Rows(admin.TabularInline):  # type: ignore[type-arg]
    """Rows of one article, below it."""

    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class _Aliases(_Rows):
    model = EntityAlias
    fields = ("name",)


class _Categories(_Rows):
    model = ArticleCategory
    fields = ("category",)


class _Facts(_Rows):
    model = InfoboxFact
    fields = ("key", "value", "kind")


class _Links(_Rows):
    model = Link
    fields = ("target", "anchor", "via")


@admin.register(Entity)
class EntityAdmin(IndexAdmin):
    list_display = ("title", "kind", "type", "words", "problems", "is_stub", "modified")
    list_filter = ("kind", "is_stub", "categories__category", "modified")
    search_fields = ("stem", "title", "type", "aliases__folded", "lead")
    exclude = ("modified_ns",)
    inlines = (_Aliases, _Facts, _Categories, _Links)


@admin.register(Category)
class CategoryAdmin(IndexAdmin):
    list_display = ("name", "article_count")
    search_fields = ("name",)

    @admin.display(description="articles")
    def article_count(self, row: Any) -> int:
        return int(row.articles.count())


@admin.register(Link)
class LinkAdmin(IndexAdmin):
    list_display = ("source", "target", "anchor", "via")
    list_filter = ("via",)
    search_fields = ("source__stem", "target")
