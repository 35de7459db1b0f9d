"""Bases of admin pages, for every app: what cannot be edited shows no button that would.

An app's `admin.py` registers its models with `django.contrib.admin.register`, on one of these
or on a plain `ModelAdmin`; `mlxsite.admin_site` is the site that they end up on.
"""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """For rows that mirror something else, such as files: to search and to read.

    Who may read them is a matter of the model's view permission, as ever.
    """

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class RecordAdmin(ReadOnlyAdmin):
    """For rows that the server writes and nobody should edit, but that may be deleted."""

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return super(ReadOnlyAdmin, self).has_delete_permission(request, obj)
