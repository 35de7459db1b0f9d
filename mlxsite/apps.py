"""The Django app `mlxsite`, and Django's admin with a site of ours."""

from django.apps import AppConfig
from django.contrib.admin import apps as admin


class SiteConfig(AppConfig):
    name = "mlxsite"
    label = "mlxsite"
    verbose_name = "Composition root"

    def ready(self) -> None:
        from mlxsite import checks  # noqa: F401, PLC0415  (registers them)


class AdminConfig(admin.AdminConfig):
    default_site = "mlxsite.admin_site.AdminSite"
