"""The admin site: which groups it shows, in which order."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse

# App labels in the order of the index; apps that are not named come before the last.
ORDER = ("hub", "jobs", "chat_sessions", "memory")
LAST = ("server", "auth")


class AdminSite(admin.AdminSite):
    """Django's admin under our name; every app's `admin.py` registers with it.

    `mlxsite.apps.AdminConfig` makes it the default site, so `admin.register` finds it.
    """

    site_title = "mlxsite admin"
    site_header = "mlxsite admin"
    index_title = "What this server keeps"
    site_url = "/"
    enable_nav_sidebar = False  # it would take a third of the width from wide tables

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        apps = super().get_app_list(request, app_label)
        if app_label is None and may_see_server(request):
            apps.append(_server_entry())
        return sorted(apps, key=lambda app: (_place(app["app_label"]), app["name"].lower()))


def may_see_server(request: HttpRequest) -> bool:
    """Paths and names of this machine are for its owner alone."""
    return bool(request.user.is_active and request.user.is_superuser)


def _place(label: str) -> int:
    if label in LAST:
        return len(ORDER) + 1 + LAST.index(label)
    return ORDER.index(label) if label in ORDER else len(ORDER)


def _server_entry() -> dict[str, Any]:
    """The page of `mlxsite.server_page`, in the form of Django's own groups."""
    url = reverse("admin:server")
    page = {
        "name": "This server",
        "object_name": "Server",
        "admin_url": url,
        "add_url": None,
        "perms": {"view": True},
        "view_only": True,
    }
    return {
        "name": "Server",
        "app_label": "server",
        "app_url": url,
        "has_module_perms": True,
        "models": [page],
    }
