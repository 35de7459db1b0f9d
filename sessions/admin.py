"""Admin page of chats: to find and to read, since the files are the truth."""

from typing import Any

from django.contrib import admin

from hub.admin_pages import ReadOnlyAdmin
from sessions import index
from sessions.models import ChatSession


@admin.register(ChatSession)
class ChatSessionAdmin(ReadOnlyAdmin):
    subtitle = "An index of the session files, brought up to date as this list is shown."
    list_display = ("title", "message_count", "modified", "kilobytes", "forked", "pinned")
    list_filter = ("forked", "pinned", "modified")
    search_fields = ("title", "name", "session_id")
    fields = (
        "title",
        "name",
        "session_id",
        "message_count",
        "modified",
        "kilobytes",
        "forked",
        "pinned",
    )

    def refresh(self) -> None:
        index.refresh()

    @admin.display(description="size", ordering="size")
    def kilobytes(self, row: Any) -> str:
        return f"{row.size / 1000:,.1f} kB"
