"""The admin site: which groups it shows, in which order."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

# App labels in the order of the index; apps that are not named come before the last.
ORDER = ("hub", "jobs", "chat_sessions", "memory")
LAST = ("auth",)


class AdminSite(admin.AdminSite):
    """Django's admin under our name; every app's `admin.py` registers with it.

    `mlxsite.apps.AdminConfig` makes it the default site, so `admin.register` finds it.
    """

    site_title = "mlxsite admin"
    site_header = "mlxsite"
    index_title = "Administration"
    site_url = "/"

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        apps = super().get_app_list(request, app_label)
        return sorted(apps, key=lambda app: (_place(app["app_label"]), app["name"].lower()))


def _place(label: str) -> int:
    if label in LAST:
        return len(ORDER) + 1
    return ORDER.index(label) if label in ORDER else len(ORDER)
