"""Admin pages of the hub."""

from django.contrib import admin

from hub.admin_pages import RecordAdmin
from hub.models import DecodeRate


@admin.register(DecodeRate)
class DecodeRateAdmin(RecordAdmin):
    list_display = ("repo_id", "device", "rate", "measured_at", "snapshot")
    list_filter = ("device",)
    search_fields = ("repo_id", "device", "snapshot")
    date_hierarchy = "measured_at"
    ordering = ("-measured_at",)

    @admin.display(description="Tokens a second", ordering="tokens_per_second")
    def rate(self, row: DecodeRate) -> str:
        return f"{row.tokens_per_second:,.1f}"
