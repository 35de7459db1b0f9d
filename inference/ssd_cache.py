"""The SSD cache as the operator asks for it: options in, what the engine's tier is made of out."""

import hashlib
from importlib.metadata import version
from pathlib import Path
from typing import Final

from hub.local_model import LocalModel
from inference.engine.cache.ssd.config import Origin, SsdConfig
from inference.options import GIB, OptionError, ServeOptions

DEMOTE_IDLE_SECONDS: Final = 300.0
# What a tokenizer is made of, in any of its forms.
_TOKENIZER_FILES: Final = ("tokenizer*", "vocab*", "merges.txt", "*.tiktoken", "*token*.json")


def check(options: ServeOptions) -> list[str]:
    """Return what is asked for in vain, a sentence each; raises OptionError for what cannot be."""
    if options.ssd_cache is not None:
        if options.prompt_cache == 0:
            raise OptionError(
                "--ssd-cache needs the cache in memory, which --prompt-cache 0 turns off; "
                "leave one of them out"
            )
        if options.generation_checkpoint is not None and options.batch != 1:
            raise OptionError(
                f"--generation-checkpoint needs requests that run one after another, and --batch "
                f"is {options.batch}; add --batch 1"
            )
        return []
    if options.generation_checkpoint is not None:
        raise OptionError("--generation-checkpoint needs a folder to write to; add --ssd-cache DIR")
    defaults = ServeOptions()
    return [
        f"{flag} has no effect without --ssd-cache"
        for flag, name in (
            ("--ssd-cache-max", "ssd_cache_max"),
            ("--ssd-cache-verify", "ssd_cache_verify"),
            ("--ssd-demote-idle", "ssd_demote_idle"),
            ("MLXSITE_SSD_WRITEBEHIND", "ssd_writebehind"),
            ("MLXSITE_SSD_SPILL_QUEUE_GB", "ssd_spill_queue_gb"),
        )
        if getattr(options, name) != getattr(defaults, name)
    ]


def ssd_config(options: ServeOptions) -> SsdConfig | None:
    """Return how the tier is set up; None for no tier."""
    if options.ssd_cache is None:
        return None
    idle = options.ssd_demote_idle
    return SsdConfig(
        folder=Path(options.ssd_cache).expanduser().absolute(),
        max_bytes=int(options.ssd_cache_max * GIB),
        verify=options.ssd_cache_verify,
        write_behind=options.ssd_writebehind,
        demote_idle_seconds=DEMOTE_IDLE_SECONDS if idle is None else idle or None,
        queue_bytes=int(options.ssd_spill_queue_gb * GIB),
    )


def origin_of(model: LocalModel, *, run_as: str, scheme: str, formats: list[str]) -> Origin:
    """Return what the keys and values of a model come from.

    run_as: how the model is run: device, data type, density. scheme: how its keys and values
    are kept; formats: of each layer. Raises OSError.
    """
    facts = "\n".join([model.snapshot, run_as, *formats])
    return Origin(
        model=model.repo_id,
        fingerprint=hashlib.sha256(facts.encode()).hexdigest()[:16],
        tokenizer=_hash_tokenizer(model.path),
        scheme=scheme,
        layout=f"mlx-lm {version('mlx-lm')}",
    )


def _hash_tokenizer(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted({path for glob in _TOKENIZER_FILES for path in folder.glob(glob)}):
        if path.is_file():
            digest.update(f"{path.name} {path.stat().st_size}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()
