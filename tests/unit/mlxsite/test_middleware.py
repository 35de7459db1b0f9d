"""Sessions and login cost API requests nothing."""

import pytest
from django.conf import settings
from django.urls import path
from django.utils.module_loading import import_string

from mlxsite.middleware import ADMIN_PREFIX


async def show_session(request):
    from django.http import JsonResponse

    return JsonResponse({"session": hasattr(request, "session")})


urlpatterns = [
    path("v1/things", show_session),
    path(ADMIN_PREFIX.lstrip("/"), show_session),
]


@pytest.fixture
def client(settings, async_client):
    settings.ROOT_URLCONF = __name__
    return async_client


async def test_an_api_request_passes_without_a_session(client):
    assert (await client.get("/v1/things")).json() == {"session": False}


async def test_the_admin_pages_have_one(client):
    assert (await client.get(ADMIN_PREFIX)).json() == {"session": True}


def test_every_middleware_can_run_without_a_thread():
    for name in settings.MIDDLEWARE:
        assert import_string(name).async_capable
