"""What was measured of models on this machine."""

from django.db import models


class DecodeRate(models.Model):
    """How fast one state of a model decoded on one device, when it last did.

    repo_id, snapshot: as `hub.local_model.LocalModel` has them. device: the chip's name, as
    `hub.machine.Machine` has it. tokens_per_second: of one sequence alone.
    """

    repo_id = models.CharField(max_length=255)
    snapshot = models.CharField(max_length=64)
    device = models.CharField(max_length=255)
    tokens_per_second = models.FloatField()
    measured_at = models.DateTimeField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["repo_id", "snapshot", "device"],
                name="one_decode_rate_per_model_and_device",
            ),
        )

    def __str__(self) -> str:
        return f"{self.repo_id} on {self.device}: {self.tokens_per_second:.1f} tok/s"
