"""Writes weights into safetensors files of bounded size, each as soon as it is full."""

import json
from pathlib import Path

import mlx.core as mx

from jobs.quantize.errors import QuantizeError

SHARD_BYTES = 2**30
"""What waits in memory to be written, at most; one larger array makes a file of its own."""


class ShardWriter:
    """Thread: one. `close` gives the files their names and writes the index."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._waiting: dict[str, mx.array] = {}
        self._waiting_bytes = 0
        self._files: list[tuple[Path, list[str]]] = []
        self.written_bytes = 0

    def add(self, name: str, array: mx.array) -> None:
        """Compute an array and take it in. Raises QuantizeError if the disk takes no more."""
        mx.eval(array)
        if self._waiting and self._waiting_bytes + array.nbytes > SHARD_BYTES:
            self._flush()
        self._waiting[name] = array
        self._waiting_bytes += array.nbytes

    def close(self) -> None:
        self._flush()
        names = {}
        count = len(self._files)
        for number, (path, tensors) in enumerate(self._files, start=1):
            final = (
                "model.safetensors"
                if count == 1
                else f"model-{number:05}-of-{count:05}.safetensors"
            )
            path.rename(self._folder / final)
            names.update(dict.fromkeys(tensors, final))
        index = {
            "metadata": {"total_size": self.written_bytes},
            "weight_map": dict(sorted(names.items())),
        }
        path = self._folder / "model.safetensors.index.json"
        path.write_text(json.dumps(index, indent=2) + "\n", encoding="utf-8")

    def _flush(self) -> None:
        if not self._waiting:
            return
        path = self._folder / f"part-{len(self._files):05}.safetensors"
        try:
            mx.save_safetensors(str(path), self._waiting, metadata={"format": "mlx"})
        except RuntimeError as error:
            # mlx gives the system's reason no name; a full disk is the usual one.
            raise QuantizeError(
                f"the weights cannot be written: {error} Is the disk full?"
            ) from error
        self._files.append((path, list(self._waiting)))
        self.written_bytes += self._waiting_bytes
        self._waiting, self._waiting_bytes = {}, 0
        mx.clear_cache()
