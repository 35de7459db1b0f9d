"""What answers where: one line per mount."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from mlxsite import api, openapi, server_page
from mlxsite.middleware import ADMIN_PREFIX

admin_urls, admin_app, admin_namespace = admin.site.urls
# As people type it.
admin_without_slash = path("", RedirectView.as_view(url=ADMIN_PREFIX))

urlpatterns = [
    path("", include("frontend.urls")),
    path("", api.openai.urls),
    path("", api.anthropic.urls),
    path("", api.responses.urls),
    path("", api.internal.urls),
    path("api/openapi.json", openapi.openapi, name="openapi"),
    path(ADMIN_PREFIX.strip("/"), ([admin_without_slash], admin_app, "admin_without_slash")),
    path(
        ADMIN_PREFIX.lstrip("/"),
        ([server_page.route, *admin_urls], admin_app, admin_namespace),
    ),
]

# Every error of Django's own is JSON as well: no client of an API reads an HTML page.
handler400 = "mlxsite.errors.bad_request"
handler403 = "mlxsite.errors.forbidden"
handler404 = "mlxsite.errors.not_found"
handler500 = "mlxsite.errors.server_error"
