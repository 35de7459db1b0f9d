"""How what is wrong with a request to the memory is worded: as the hub's routes do it."""

from django.conf import settings
from django.http import HttpRequest, JsonResponse

from hub.api.answers import failure
from memory.errors import (
    ArticleNotFound,
    GitFailed,
    NotListed,
    NotWritten,
    NoVault,
    RevisionNotFound,
    VaultError,
)

_STATUS: tuple[tuple[type[VaultError], int], ...] = (
    (ArticleNotFound, 404),
    (RevisionNotFound, 404),
    (GitFailed, 503),
    (NotListed, 503),
    (NotWritten, 507),
)


def vault_error(request: HttpRequest, error: VaultError) -> JsonResponse:
    if isinstance(error, NoVault):
        # Not a 404: the page offers to make one, in the place that it is told here.
        root = str(settings.VAULT.root)
        return JsonResponse({"ok": False, "enabled": False, "error": str(error), "root": root})
    status = next((status for kind, status in _STATUS if isinstance(error, kind)), 400)
    return failure(status, str(error))
