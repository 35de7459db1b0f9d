"""The Django app `mlxsite`."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "mlxsite"
    label = "mlxsite"
    verbose_name = "Composition root"

    def ready(self) -> None:
        from mlxsite import checks  # noqa: F401, PLC0415  (registers them)
