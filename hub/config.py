"""Where models live on this machine: decided once, by the settings, before anything starts."""

from dataclasses import dataclass
from pathlib import Path

HUB_ENDPOINT = "https://huggingface.co"


@dataclass(frozen=True, slots=True)
class HubConfig:
    """The two places that are searched for models.

    models_dir: folders of our own, `<models_dir>/<owner>/<name>/`, so that the repo id can
        be read off the path. Installed models go here; its parent is the cache folder.
    hf_cache_dir: the Hugging Face cache, `models--<owner>--<name>/snapshots/…`; may be
        absent. Downloads go here.
    endpoint: where the Hugging Face Hub answers, without a slash at the end.
    """

    models_dir: Path
    hf_cache_dir: Path
    endpoint: str = HUB_ENDPOINT

    @property
    def downloads_dir(self) -> Path:
        """Files fetched to make models of; all of it can be deleted and fetched again."""
        return self.models_dir.parent / "downloads"

    @property
    def adapter_folders(self) -> tuple[Path, Path]:
        """What holds the adapters of this machine, each a folder of its own."""
        cache = self.models_dir.parent
        return cache.with_name(f"{cache.name}-finetunes"), cache / "adapters"

    @property
    def index_file(self) -> Path:
        """What scans remember of model folders; can be deleted at any time."""
        return self.models_dir.parent / "models-index.json"

    @property
    def changes_file(self) -> Path:
        """Touched by whoever adds or deletes models while another process serves."""
        return self.models_dir.parent / "models-changed"

    @property
    def bandwidth_file(self) -> Path:
        """The memory bandwidth that was measured here; can be deleted at any time."""
        return self.models_dir.parent / "bandwidth.json"
