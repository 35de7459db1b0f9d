"""The Django app `mlxsite`."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "mlxsite"
    label = "mlxsite"
    verbose_name = "Composition root"
