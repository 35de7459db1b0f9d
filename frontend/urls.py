"""Pages for people."""

from django.urls import path

from frontend import api_docs, views

urlpatterns = [path("", views.landing), path("api/docs", api_docs.api_docs)]
