"""The admin site: what stands where on its index, and its page about the server."""

import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import RequestFactory

from hub.models import DecodeRate
from inference.options import ServeOptions
from mlxsite.admin_site import AdminSite
from tests.plugins.five_models import M4_PRO

SERVER = "/django-admin/server/"


@pytest.fixture
def m4_pro(monkeypatch):
    monkeypatch.setattr("mlxsite.server_facts.this_machine", lambda config: M4_PRO)


def app_labels(monkeypatch, labels, **rights):
    apps = {label: {"name": label.title(), "app_label": label, "models": []} for label in labels}
    monkeypatch.setattr(AdminSite, "_build_app_dict", lambda *_: apps)
    request = RequestFactory().get("/")
    request.user = User(is_active=True, is_staff=True, **rights)
    return [app["app_label"] for app in AdminSite().get_app_list(request)]


def test_apps_register_with_our_site():
    assert admin.site.site_header == AdminSite.site_header
    assert admin.site.is_registered(DecodeRate)


def test_models_come_first_people_last_and_newcomers_before_the_server(monkeypatch):
    apps = ["auth", "stamps", "memory", "jobs", "chat_sessions", "hub"]

    labels = app_labels(monkeypatch, apps, is_superuser=True)

    assert labels == ["hub", "jobs", "chat_sessions", "memory", "stamps", "server", "auth"]


def test_staff_without_all_rights_has_no_page_about_the_server(monkeypatch):
    assert app_labels(monkeypatch, ["hub"], is_superuser=False) == ["hub"]


def test_the_page_about_the_server_shows_the_options_in_force(admin_client, settings, m4_pro):
    settings.SERVE_OPTIONS = ServeOptions(port=9000)

    page = admin_client.get(SERVER).content.decode()

    assert "9000" in page
    assert "M4 Pro" in page


def test_the_page_about_the_server_is_for_its_owner_alone(client, django_user_model):
    client.force_login(django_user_model.objects.create_user("staff", is_staff=True))

    assert client.get(SERVER).status_code == 403


@pytest.mark.django_db
def test_a_stranger_is_asked_to_log_in(client):
    response = client.get("/django-admin/")

    assert response.status_code == 302
    assert response["Location"] == "/django-admin/login/?next=/django-admin/"


def test_a_forgotten_slash_is_no_error(client):
    assert client.get("/django-admin")["Location"] == "/django-admin/"


@pytest.mark.django_db
def test_an_admin_page_loads_nothing_from_elsewhere_and_in_no_frame(client):
    response = client.get("/django-admin/login/")

    assert "frame-ancestors 'none'" in response["Content-Security-Policy"]
    assert "default-src 'self'" in response["Content-Security-Policy"]
    assert response["Referrer-Policy"] == "same-origin"


def test_times_are_written_with_their_zone(admin_client, admin_user):
    page = admin_client.get(f"/django-admin/auth/user/{admin_user.pk}/change/").content.decode()

    assert admin_user.date_joined.strftime("%Y-%m-%d") in page
