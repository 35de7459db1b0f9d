"""Admin pages of the hub: models on disk, downloads, decode rates."""

from typing import Any

from asgiref.sync import async_to_sync
from django.conf import settings
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils.timesince import timesince

from hub.admin_pages import NOTHING, ReadOnlyAdmin, RecordAdmin, gigabytes
from hub.downloads import history
from hub.downloads.runtime import get_downloads
from hub.library import CONTEXT_TOKENS, KEPT_SECONDS, get_library
from hub.library_rows import mirror
from hub.models import DecodeRate, DownloadRecord, LocalModelRow


class ServableFilter(admin.SimpleListFilter):
    title = "can be served"
    parameter_name = "servable"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", "Yes"), ("no", "No")]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[LocalModelRow]
    ) -> QuerySet[LocalModelRow]:
        match self.value():
            case "yes":
                return queryset.filter(problem="")
            case "no":
                return queryset.exclude(problem="")
        return queryset


@admin.register(LocalModelRow)
class LocalModelAdmin(ReadOnlyAdmin):
    subtitle = (
        f"As the folders of this machine were at most {KEPT_SECONDS:.0f} seconds ago. "
        f"Whether a model fits, and how fast it is, at {CONTEXT_TOKENS:,} tokens of context; "
        "the longest that would fit stands beside it."
    )
    list_display = ("repo_id", "size", "bits", "tier", "does_fit", "context", "speed")
    list_filter = (ServableFilter, "support", "fits", "quant_bits", "model_type")
    search_fields = ("repo_id", "model_type", "path", "problem")
    ordering = ("repo_id",)
    readonly_fields = ("size", "needs", "quantization", "context", "speed", "abilities")
    fieldsets = (
        (None, {"fields": ("repo_id", "model_type", "path", "snapshot", "problem")}),
        ("Weights", {"fields": ("size", "quantization", "support", "abilities")}),
        ("On this machine", {"fields": ("fits", "needs", "context", "speed")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[LocalModelRow]:
        rows: QuerySet[LocalModelRow] = super().get_queryset(request)
        return rows.annotate(tps=Coalesce("measured_tps", "predicted_tps"))

    def refresh(self) -> None:
        mirror(async_to_sync(get_library)(settings.HUB))

    @admin.display(description="Size", ordering="size_bytes")
    def size(self, row: LocalModelRow) -> str:
        return gigabytes(row.size_bytes)

    @admin.display(description="Needs", ordering="total_bytes")
    def needs(self, row: LocalModelRow) -> str:
        return gigabytes(row.total_bytes)

    @admin.display(description="Bits", ordering="quant_bits")
    def bits(self, row: LocalModelRow) -> str:
        return str(row.quant_bits or NOTHING)

    @admin.display(description="Tier", ordering="support")
    def tier(self, row: LocalModelRow) -> str:
        return row.problem or row.get_support_display()

    @admin.display(description="Fits", ordering="fits", boolean=True)
    def does_fit(self, row: LocalModelRow) -> bool | None:
        return row.fits

    @admin.display(description="Quantization")
    def quantization(self, row: LocalModelRow) -> str:
        if row.quant_bits is None:
            return "none"
        group = f", in groups of {row.quant_group_size}" if row.quant_group_size else ""
        return f"{row.quant_bits} bits{group}"

    @admin.display(description="Context", ordering="max_safe_context")
    def context(self, row: LocalModelRow) -> str:
        return NOTHING if row.max_safe_context is None else f"{row.max_safe_context:,}"

    @admin.display(description="Tok/s", ordering="tps")
    def speed(self, row: LocalModelRow) -> str:
        if row.measured_tps is not None:
            return f"{row.measured_tps:,.1f} (measured)"
        return NOTHING if row.predicted_tps is None else f"{row.predicted_tps:,.1f}"

    @admin.display(description="Capabilities")
    def abilities(self, row: LocalModelRow) -> str:
        names = ("vision", "audio", "embeddings", "tools", "reasoning")
        return ", ".join(name for name in names if getattr(row, name)) or NOTHING


@admin.register(DownloadRecord)
class DownloadAdmin(RecordAdmin):
    subtitle = (
        "What the server was asked to fetch. A cancelled download goes on if asked for again."
    )
    list_display = ("repo_id", "state", "progress", "started_at", "error")
    list_filter = ("state", "started_at")
    search_fields = ("repo_id", "error")
    ordering = ("-started_at",)
    actions = ("cancel",)
    readonly_fields = ("progress", "took")
    fields = ("repo_id", "state", "progress", "started_at", "finished_at", "took", "error")

    def refresh(self) -> None:
        history.catch_up(settings.HUB, get_downloads().statuses())

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        is_active = obj is not None and obj.state == DownloadRecord.State.ACTIVE
        return not is_active and super().has_delete_permission(request, obj)

    def has_cancel_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.has_perm("hub.change_downloadrecord"))

    @admin.action(description="Cancel selected downloads", permissions=["cancel"])
    def cancel(self, request: HttpRequest, queryset: QuerySet[DownloadRecord]) -> None:
        active = queryset.filter(state=DownloadRecord.State.ACTIVE)
        repos = [row.repo_id for row in active if get_downloads().cancel(row.repo_id)]
        if repos:
            self.message_user(request, f"Cancelled: {', '.join(repos)}.", messages.SUCCESS)
        else:
            text = "None of these is under way in this server."
            self.message_user(request, text, messages.WARNING)

    @admin.display(description="Received", ordering="received_bytes")
    def progress(self, row: DownloadRecord) -> str:
        if not row.total_bytes:
            return NOTHING
        part = row.received_bytes / row.total_bytes
        return f"{gigabytes(row.received_bytes)} of {gigabytes(row.total_bytes)} ({part:.0%})"

    @admin.display(description="Took")
    def took(self, row: DownloadRecord) -> str:
        return timesince(row.started_at, row.finished_at) if row.finished_at else NOTHING


@admin.register(DecodeRate)
class DecodeRateAdmin(RecordAdmin):
    subtitle = "How fast models decoded here, each as last measured. It beats every prediction."
    list_display = ("repo_id", "device", "rate", "measured_at", "short_snapshot")
    list_filter = ("device",)
    search_fields = ("repo_id", "device", "snapshot")
    ordering = ("-measured_at",)
    readonly_fields = ("rate",)
    fields = ("repo_id", "snapshot", "device", "rate", "measured_at")

    @admin.display(description="Tokens a second", ordering="tokens_per_second")
    def rate(self, row: DecodeRate) -> str:
        return f"{row.tokens_per_second:,.1f}"

    @admin.display(description="Snapshot", ordering="snapshot")
    def short_snapshot(self, row: DecodeRate) -> str:
        return row.snapshot[:12]
