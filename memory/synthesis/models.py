"""The ledger: what synthesis has read, decided and written, so that a run can end anywhere.

    Conversation ─ Message
         └─ Chunk ─┬─ ChunkEntity    what it names
                   ├─ ChunkBucket    which large drawers it belongs to
                   ├─ ChunkSubject    which subjects it is about
                   └─ ChunkSection   which sections it belongs to, and what became of it there
    Subject         a subject: an article, or captured until it comes up again
    ArticleState   what synthesis left in an article, to tell a person's edits from its own
    PendingChange  a write whose effect may be on disk while the ledger has not heard of it

What an article says stands in its file alone. Texts of messages are copies of the chats' own,
and go with them.
"""

from django.db import models

CAPTURED = "_captured"


class Conversation(models.Model):
    """One conversation of a source.

    id: 16 hexadecimal digits. source, name: where it is read again. watermark: the state that it
    was read in; another one means that it has changed.
    """

    id = models.CharField(primary_key=True, max_length=16)
    source = models.CharField(max_length=32)
    name = models.CharField(max_length=255)
    watermark = models.CharField(max_length=64)
    started_at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ("started_at", "id")
        constraints = (models.UniqueConstraint(fields=["source", "name"], name="told_once"),)

    def __str__(self) -> str:
        return f"{self.source}/{self.name}"

    @property
    def hash8(self) -> str:
        """How footnotes name it."""
        return self.id[:8]


class Message(models.Model):
    """What was said at a position, from 0. key: tells the same message in another conversation.

    is_copy: it was said in an older conversation, of which this one is a fork.
    """

    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="messages")
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=32, db_index=True)
    role = models.CharField(max_length=16)
    text = models.TextField()
    at = models.DateTimeField()
    is_copy = models.BooleanField(default=False)

    class Meta:
        ordering = ("conversation", "position")
        constraints = (
            models.UniqueConstraint(fields=["conversation", "position"], name="one_message_each"),
        )

    def __str__(self) -> str:
        return f"{self.conversation_id}:{self.position}"


class Chunk(models.Model):
    """Messages on one topic, from `start` to `end` inclusive. id: `conversation:start-end`.

    is_extracted: its names were asked for.
    """

    id = models.CharField(primary_key=True, max_length=64)
    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="chunks")
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    label = models.CharField(max_length=120)
    at = models.DateTimeField()
    is_extracted = models.BooleanField(default=False)

    class Meta:
        ordering = ("conversation__started_at", "conversation", "start")

    def __str__(self) -> str:
        return f"{self.id} {self.label}"


class Subject(models.Model):
    """A subject. key: its canonical name. article: the stem; blank while it is captured.

    is_closed: a person deleted the article, which is not written again unless they bring it back.
    """

    key = models.CharField(primary_key=True, max_length=200)
    title = models.CharField(max_length=120)
    article = models.CharField(max_length=255, blank=True, default="", db_index=True)
    is_closed = models.BooleanField(default=False)
    chunks = models.ManyToManyField(Chunk, through="ChunkSubject", related_name="subjects")

    class Meta:
        ordering = ("key",)

    def __str__(self) -> str:
        return self.title

    @property
    def place(self) -> str:
        return self.article or CAPTURED


class ChunkSubject(models.Model):
    chunk = models.ForeignKey(Chunk, models.CASCADE)
    subject = models.ForeignKey(Subject, models.CASCADE)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["chunk", "subject"], name="one_subject_each"),
        )

    def __str__(self) -> str:
        return f"{self.chunk_id} in {self.subject_id}"


class ChunkEntity(models.Model):
    """A name that a chunk holds, as it stands there. is_routed: it was decided what it names."""

    chunk = models.ForeignKey(Chunk, models.CASCADE, related_name="entities")
    surface = models.CharField(max_length=120)
    is_routed = models.BooleanField(default=False)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return self.surface


class Bucket(models.Model):
    """A large drawer that chunks are sorted into. name: as the user's page defined it then."""

    name = models.CharField(primary_key=True, max_length=60)
    chunks = models.ManyToManyField(Chunk, through="ChunkBucket", related_name="buckets")

    def __str__(self) -> str:
        return self.name


class ChunkBucket(models.Model):
    chunk = models.ForeignKey(Chunk, models.CASCADE)
    bucket = models.ForeignKey(Bucket, models.CASCADE)

    class Meta:
        verbose_name = "sorted chunk"
        constraints = (models.UniqueConstraint(fields=["chunk", "bucket"], name="one_bucket_each"),)

    def __str__(self) -> str:
        return f"{self.chunk_id} in {self.bucket_id}"


class SubjectRedirect(models.Model):
    """Another name of a subject, found out once."""

    key = models.CharField(primary_key=True, max_length=200)
    subject = models.ForeignKey(Subject, models.CASCADE, related_name="redirects")

    def __str__(self) -> str:
        return f"{self.key} is {self.subject_id}"


class Outcome(models.TextChoices):
    """What became of a chunk in a section.

    waiting ─┬─► written          its text, and a citation, are in the article
             ├─► known            the section says so already
             ├─► noted            a person wrote the section: it is on the talk page
             └─► rejected         no draft passed the gate; tried again by later runs
    """

    WAITING = "waiting"
    WRITTEN = "written"
    KNOWN = "known"
    NOTED = "noted"
    REJECTED = "rejected"


class ChunkSection(models.Model):
    """A chunk that belongs to a section, and what became of it there.

    section: its heading, blank for the lead. attempts: drafts that the gate refused.
    """

    chunk = models.ForeignKey(Chunk, models.CASCADE, related_name="sections")
    article = models.CharField(max_length=255, db_index=True)
    section = models.CharField(max_length=255, blank=True)
    outcome = models.CharField(max_length=10, choices=Outcome)
    reason = models.CharField(max_length=200, blank=True, default="")
    attempts = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ("id",)
        constraints = (
            models.UniqueConstraint(
                fields=["chunk", "article", "section"], name="one_section_each"
            ),
        )

    def __str__(self) -> str:
        return f"{self.chunk_id} in {self.article}#{self.section}: {self.outcome}"


class RoutedChunk(models.Model):
    """All sections of an article were asked for a chunk."""

    chunk = models.ForeignKey(Chunk, models.CASCADE)
    article = models.CharField(max_length=255)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["chunk", "article"], name="routed_once"),)

    def __str__(self) -> str:
        return f"{self.chunk_id} in {self.article}"


class ArticleState(models.Model):
    """What synthesis left in an article.

    content: hash of the whole file. sections: hash of each part that synthesis wrote; a part
    that has another is a person's. needs_reconciling: its lead may be behind its sections.
    wikified: `tidy_hash` of each part when it was last looked at.
    """

    article = models.CharField(primary_key=True, max_length=255)
    content = models.CharField(max_length=64)
    sections = models.JSONField(default=dict)
    needs_reconciling = models.BooleanField(default=False)
    wikified = models.JSONField(default=dict)

    def __str__(self) -> str:
        return self.article


class PendingChange(models.Model):
    """A write under way. before, after: hashes of the file; blank where there is none.

    subject: of the commit. marks: what the ledger will say once it is done.
    """

    article = models.CharField(primary_key=True, max_length=255)
    before = models.CharField(max_length=64, blank=True)
    after = models.CharField(max_length=64)
    subject = models.CharField(max_length=200)
    marks = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"{self.article}: {self.subject}"
