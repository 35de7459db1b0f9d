"""The admin site: what stands where on its index."""

from django.contrib import admin
from django.contrib.auth.models import User
from django.test import RequestFactory

from hub.models import DecodeRate
from mlxsite.admin_site import AdminSite


def app_labels(monkeypatch, labels):
    apps = {label: {"name": label.title(), "app_label": label, "models": []} for label in labels}
    monkeypatch.setattr(AdminSite, "_build_app_dict", lambda *_: apps)
    request = RequestFactory().get("/")
    request.user = User(is_superuser=True, is_active=True, is_staff=True)
    return [app["app_label"] for app in AdminSite().get_app_list(request)]


def test_apps_register_with_our_site():
    assert admin.site.site_header == AdminSite.site_header
    assert admin.site.is_registered(DecodeRate)


def test_models_come_first_people_last_and_newcomers_before_them(monkeypatch):
    labels = app_labels(monkeypatch, ["auth", "stamps", "memory", "jobs", "chat_sessions", "hub"])

    assert labels == ["hub", "jobs", "chat_sessions", "memory", "stamps", "auth"]
