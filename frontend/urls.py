"""Pages for people."""

from django.urls import path

from frontend import api_docs, curves, dag, preview, shell, views

urlpatterns = [
    path("", shell.shell),
    path("sw.js", shell.service_worker),
    path("manifest.webmanifest", shell.manifest),
    *(path(page, shell.legacy(page)) for page in shell.LEGACY_PAGES),
    path("connect", views.connect),
    path("preview", preview.preview),
    path("curves", curves.curves),
    path("curve-terrain", curves.curve_terrain),
    path("dag", dag.dag),
    path("api/docs", api_docs.api_docs),
]
