"""Admin pages of the ledger: why an article says what it says, and what waits."""

from django.contrib import admin

from hub.admin_pages import ReadOnlyAdmin
from memory.synthesis.models import ChunkBucket, ChunkSection, Conversation, Subject


@admin.register(Conversation)
class ConversationAdmin(ReadOnlyAdmin):
    subtitle = "What was ingested. A chat that is deleted goes from here with the next synthesis."
    list_display = ("name", "source", "started_at")
    list_filter = ("source", "started_at")
    search_fields = ("id", "name")


@admin.register(Subject)
class SubjectAdmin(ReadOnlyAdmin):
    subtitle = "What conversations are about. Without an article, a subject came up once so far."
    list_display = ("title", "article", "is_closed")
    list_filter = ("is_closed",)
    search_fields = ("key", "title", "article")


@admin.register(ChunkBucket)
class ChunkBucketAdmin(ReadOnlyAdmin):
    subtitle = "Which part of a conversation belongs to which of the buckets that a page defines."
    list_display = ("bucket", "chunk")
    list_filter = ("bucket",)
    list_select_related = ("chunk",)
    search_fields = ("chunk__label",)


@admin.register(ChunkSection)
class ChunkSectionAdmin(ReadOnlyAdmin):
    subtitle = "Which part of a conversation went where, and what became of it."
    list_display = ("chunk", "article", "section", "outcome", "reason")
    list_filter = ("outcome",)
    list_select_related = ("chunk",)
    search_fields = ("article", "section", "chunk__label")
