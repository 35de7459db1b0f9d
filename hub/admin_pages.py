"""Bases of admin pages, for every app: what cannot be edited shows no button that would.

An app's `admin.py` registers its models with `django.contrib.admin.register`, on one of these
or on a plain `ModelAdmin`; `mlxsite.admin_site` is the site that they end up on.
"""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.text import capfirst

NOTHING = "-"  # as Django shows an empty field


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """For rows that mirror something else, such as files: to search and to read.

    Who may read them is a matter of the model's view permission, as ever. `refresh` is called
    before a list or a row is shown. subtitle: a sentence above the list.
    """

    subtitle = ""

    def refresh(self) -> None:
        """Bring the rows up to date with what they mirror. Django's thread; may block."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        self.refresh()
        title = capfirst(str(self.opts.verbose_name_plural))
        context = {"title": title, "subtitle": self.subtitle, **(extra_context or {})}
        return super().changelist_view(request, context)

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        self.refresh()
        return super().change_view(request, object_id, form_url, extra_context)


class RecordAdmin(ReadOnlyAdmin):
    """For rows that the server writes and nobody should edit, but that may be deleted."""

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super(ReadOnlyAdmin, self).has_delete_permission(request, obj)


def gigabytes(size: int | None) -> str:
    """Bytes as people read them in a column."""
    if size is None:
        return NOTHING
    return f"{size / 1e9:,.2f} GB" if size >= 1e7 else f"{size / 1e6:,.2f} MB"
