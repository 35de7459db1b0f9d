"""The Django app `hub`."""

from django.apps import AppConfig


class HubConfig(AppConfig):
    name = "hub"
    label = "hub"
    verbose_name = "Models"
