"""The admin's page about the server: what flags, variables, files and the machine decided."""

from django.contrib.admin import site
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import path

from mlxsite import server_facts
from mlxsite.admin_site import may_see_server


def server_page(request: HttpRequest) -> HttpResponse:
    """Show it to a superuser; asks the machine, so it may block Django's thread."""
    if not may_see_server(request):
        raise PermissionDenied
    context = {
        **site.each_context(request),
        "title": "This server",
        "sections": server_facts.sections(),
        "options": server_facts.option_rows(),
    }
    return TemplateResponse(request, "mlxsite/server.html", context)


route = path("server/", site.admin_view(server_page), name="server")
