"""Every error of Django's own is JSON."""

import json

import pytest
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import HttpResponse
from django.urls import include, path


def raising(error):
    async def view(request):
        raise error

    return view


urlpatterns = [
    path("big", raising(RequestDataTooBig("too big"))),
    path("odd", raising(SuspiciousOperation("odd"))),
    path("denied", raising(PermissionDenied())),
    path("broken", raising(ZeroDivisionError())),
    path("slash/", lambda request: HttpResponse()),
    path("", include("mlxsite.urls")),
]
handler400 = "mlxsite.errors.bad_request"
handler403 = "mlxsite.errors.forbidden"
handler404 = "mlxsite.errors.not_found"
handler500 = "mlxsite.errors.server_error"


@pytest.fixture
def urls(settings, async_client):
    settings.ROOT_URLCONF = __name__
    async_client.raise_request_exception = False
    return async_client


@pytest.mark.parametrize("where", ["/nothing", "/v1/nothing", "/slash", "/static/none.css", "//"])
@pytest.mark.parametrize("method", ["get", "post", "delete"])
async def test_a_path_nothing_answers_gets_the_contracts_exact_body(urls, where, method):
    response = await getattr(urls, method)(where)

    assert response.status_code == 404
    assert response["Content-Type"] == "application/json"
    assert json.loads(response.content) == {"error": {"message": "not found"}}


@pytest.mark.parametrize(
    ("where", "status", "type", "code"),
    [
        ("/big", 413, "invalid_request_error", "request_too_large"),
        ("/odd", 400, "invalid_request_error", None),
        ("/denied", 403, "invalid_request_error", None),
        ("/broken", 500, "server_error", None),
    ],
)
async def test_djangos_errors_have_the_one_shape(urls, where, status, type, code):
    response = await urls.get(where)

    assert response.status_code == status
    error = response.json()["error"]
    assert (error["type"], error["param"], error["code"]) == (type, None, code)
    assert error["message"]
