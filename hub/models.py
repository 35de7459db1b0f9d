"""What was measured and fetched on this machine, and an index of the models on its disk."""

from django.db import models

from hub.support import Tier


class DecodeRate(models.Model):
    """How fast one state of a model decoded on one device, when it last did.

    repo_id, snapshot: as `hub.local_model.LocalModel` has them. device: the chip's name, as
    `hub.machine.Machine` has it. tokens_per_second: of one sequence alone.
    """

    repo_id = models.CharField("model", max_length=255)
    snapshot = models.CharField(max_length=64)
    device = models.CharField(max_length=255)
    tokens_per_second = models.FloatField()
    measured_at = models.DateTimeField("measured")

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["repo_id", "snapshot", "device"],
                name="one_decode_rate_per_model_and_device",
            ),
        )

    def __str__(self) -> str:
        return f"{self.repo_id} on {self.device}: {self.tokens_per_second:.1f} tok/s"


class DownloadRecord(models.Model):
    """A download that the server was asked for, and what became of it.

    Rows are written by `hub.downloads.history`. An active one changes once more, when it ends;
    if its process ends first, whoever looks next finds it interrupted. Sizes are in bytes and
    include what was here before.
    """

    class State(models.TextChoices):
        ACTIVE = "active"
        DONE = "done"
        CANCELLED = "cancelled"
        FAILED = "failed"
        INTERRUPTED = "interrupted"

    repo_id = models.CharField("model", max_length=255)
    state = models.CharField(max_length=16, choices=State, default=State.ACTIVE)
    received_bytes = models.BigIntegerField("received", default=0)
    total_bytes = models.BigIntegerField("total", default=0)
    started_at = models.DateTimeField("started")
    finished_at = models.DateTimeField("finished", null=True)
    error = models.TextField(blank=True)

    class Meta:
        verbose_name = "download"
        constraints = (
            models.UniqueConstraint(
                fields=["repo_id"],
                condition=models.Q(state="active"),
                name="one_active_download_per_repo",
            ),
        )

    def __str__(self) -> str:
        return f"{self.repo_id}: {self.get_state_display()}"


class LocalModelRow(models.Model):
    """A model folder as the last scan found it, one row for each, for pages that search.

    The folders are the truth: `hub.library_rows.mirror` writes these rows from a scan, and a
    deleted row comes back. Facts that a folder does not tell are null or empty.

    problem: why it cannot be served, or why it is no model at all. size_bytes: of the weights.
    total_bytes: with the context that models are assessed at.
    """

    class Support(models.TextChoices):
        TARGETED = Tier.TARGETED.value
        GENERIC = Tier.GENERIC.value
        NONE = "none"

    repo_id = models.CharField("model", max_length=512)
    path = models.TextField("folder")
    snapshot = models.CharField(max_length=64)
    model_type = models.CharField("type", max_length=255)
    support = models.CharField("support tier", max_length=16, choices=Support)
    problem = models.TextField(blank=True)
    size_bytes = models.BigIntegerField("size", null=True)
    quant_bits = models.BigIntegerField("quantization, bits", null=True)
    quant_group_size = models.BigIntegerField("quantization group", null=True)
    vision = models.BooleanField(default=False)
    audio = models.BooleanField(default=False)
    embeddings = models.BooleanField(default=False)
    tools = models.BooleanField(default=False)
    reasoning = models.BooleanField(default=False)
    fits = models.BooleanField("fits this machine", null=True)
    total_bytes = models.BigIntegerField("needs", null=True)
    max_safe_context = models.BigIntegerField("safe context", null=True)
    predicted_tps = models.FloatField("predicted speed", null=True)
    measured_tps = models.FloatField("measured speed", null=True)

    class Meta:
        verbose_name = "model on disk"
        verbose_name_plural = "models on disk"

    def __str__(self) -> str:
        return self.repo_id
