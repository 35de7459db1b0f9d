"""What an owner may do to rows that nobody should edit."""

from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest
from django.test import RequestFactory

from hub.admin_pages import ReadOnlyAdmin, RecordAdmin
from hub.models import DecodeRate


def owner() -> HttpRequest:
    request = RequestFactory().get("/")
    request.user = User(is_active=True, is_staff=True, is_superuser=True)
    return request


def allowed(page: Any, request: HttpRequest) -> set[str]:
    return {name for name, may in page.get_model_perms(request).items() if may}


@pytest.mark.parametrize(
    ("base", "expected"), [(ReadOnlyAdmin, {"view"}), (RecordAdmin, {"view", "delete"})]
)
def test_an_owner_may_do_no_more_than_the_page_allows(
    base: type[ReadOnlyAdmin], expected: set[str]
) -> None:
    assert allowed(base(DecodeRate, admin.site), owner()) == expected


@pytest.mark.parametrize("base", [ReadOnlyAdmin, RecordAdmin])
def test_nobody_else_may_even_look(base: type[ReadOnlyAdmin]) -> None:
    request = RequestFactory().get("/")
    request.user = AnonymousUser()

    assert allowed(base(DecodeRate, admin.site), request) == set()
