"""An index of the session files, for the list of chats and for the admin pages.

The files are the truth: every row can be dropped and made again from them.
"""

from django.db import models


class ChatSession(models.Model):
    """One session file.

    modified_ns, size: of the file when it was read; another pair means that it has changed.
    """

    name = models.CharField("file", max_length=255, primary_key=True)
    session_id = models.CharField("id", max_length=64, db_index=True)
    title = models.CharField(max_length=100)
    message_count = models.PositiveIntegerField("messages")
    forked = models.BooleanField(default=False)
    pinned = models.BooleanField(default=False)
    modified_ns = models.BigIntegerField()
    modified = models.DateTimeField(db_index=True)
    size = models.PositiveBigIntegerField("bytes")

    class Meta:
        verbose_name = "chat"
        ordering = ("-modified",)

    def __str__(self) -> str:
        return self.title
