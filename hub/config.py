"""Where models live on this machine: decided once, by the settings, before anything starts."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class HubConfig:
    """The two places that are searched for models.

    models_dir: folders of our own, `<models_dir>/<owner>/<name>/`, so that the repo id can
        be read off the path. Installed models go here; its parent is the cache folder.
    hf_cache_dir: the Hugging Face cache, `models--<owner>--<name>/snapshots/…`; may be
        absent.
    """

    models_dir: Path
    hf_cache_dir: Path

    @property
    def downloads_dir(self) -> Path:
        """Files fetched to make models of; all of it can be deleted and fetched again."""
        return self.models_dir.parent / "downloads"
