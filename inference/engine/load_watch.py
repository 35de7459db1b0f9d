"""Whoever follows a model being loaded."""


class LoadWatch:
    """Sees how far loading is; this one does not care. Thread: engine only.

    What a method raises ends the loading, and the caller of `Engine.start` gets it.
    """

    def opened(self, num_bytes: int) -> None:
        """The checkpoint is sound as far as can be told without its weights.

        num_bytes: what they will take; as long as this call lasts, none is in memory.
        """

    def loaded(self, num_bytes: int) -> None:
        """So many bytes of weights are in memory now."""


UNWATCHED = LoadWatch()
