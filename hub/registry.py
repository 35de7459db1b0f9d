"""Which models are on this machine, and which one a name means.

A scan reads small files only, and of those that it has read before only their times. It
loads no weight.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hub.config import HubConfig
from hub.errors import AmbiguousModel, BrokenModel, ModelNotFound
from hub.folders import cached_repos, main_snapshot, own_folders, repo_id_of
from hub.index import Index
from hub.local_model import CONFIG_FILE, LocalModel, read_local_model, unreadable


@dataclass(frozen=True, slots=True)
class Skipped:
    """A folder that looked like a model and is not one, with the reason in words."""

    repo_id: str
    path: Path
    reason: str


@dataclass(frozen=True, slots=True)
class Inventory:
    """What a scan found, in the order of repo ids."""

    models: tuple[LocalModel, ...]
    skipped: tuple[Skipped, ...]


def scan(config: HubConfig) -> Inventory:
    """List the models of both places. A repo in both counts once, the folder of ours first.

    What cannot be read is skipped and stops nothing: a folder, or one of the places.
    Blocks for as long as the disk takes: milliseconds, once everything has been read. Call
    it off the event loop, on any thread.
    """
    index = Index(config.index_file, read_local_model)
    models: dict[str, LocalModel] = {}
    skipped: list[Skipped] = []
    for repo_id, folder, in_cache in _candidates(config, skipped):
        try:
            path = main_snapshot(folder) if in_cache else folder
            models.setdefault(repo_id, index.model(path, repo_id))
        except BrokenModel as error:
            skipped.append(Skipped(repo_id, folder, str(error)))
    index.save()
    return Inventory(tuple(models[repo_id] for repo_id in sorted(models)), tuple(skipped))


def resolve(query: str, models: Sequence[LocalModel]) -> LocalModel:
    """Find the one model that `query` means.

    A folder with a `config.json` is read directly. Otherwise the query is part of a repo
    id, in any case; a whole id wins over ids that contain it.

    Raises ModelNotFound, AmbiguousModel with the candidates, or BrokenModel for a model
    that cannot be served.
    """
    folder = _model_folder(query)
    if folder is not None:
        return _servable(_read_folder(folder, models))
    return find_by_name(query, models)


def find_by_name(
    name: str, models: Sequence[LocalModel], skipped: Sequence[Skipped] = ()
) -> LocalModel:
    """Find the one model that `name`, the whole or a part of a repo id, means.

    skipped: folders that are no models; who asks for one of them is told the reason.
    Raises as `resolve` does.
    """
    wanted = name.casefold()
    matches = [model for model in models if wanted in model.repo_id.casefold()]
    exact = [model for model in matches if model.repo_id.casefold() == wanted]
    for folder in skipped:
        if folder.repo_id.casefold() == wanted and not exact:
            raise BrokenModel(f"{folder.repo_id} cannot be served: {folder.reason}")
    if len(exact or matches) == 1:
        return _servable((exact or matches)[0])
    if not matches:
        known = ", ".join(model.repo_id for model in models) or "none yet"
        raise ModelNotFound(f"no model matches {name!r}; on this machine: {known}")
    ids = [model.repo_id for model in matches]
    raise AmbiguousModel(f"{name!r} matches {len(ids)} models, name one: {', '.join(ids)}", ids)


def _candidates(config: HubConfig, skipped: list[Skipped]) -> Iterator[tuple[str, Path, bool]]:
    """Yield repo id, folder, and whether that is one of the cache."""
    places = ((own_folders, config.models_dir, False), (cached_repos, config.hf_cache_dir, True))
    for find, place, in_cache in places:
        try:
            found = list(find(config))
        except OSError as error:
            skipped.append(Skipped(place.name, place, str(unreadable(error))))
        else:
            for repo_id, folder in found:
                yield repo_id, folder, in_cache


def _model_folder(query: str) -> Path | None:
    try:
        folder = Path(query).expanduser()
        return folder if query and (folder / CONFIG_FILE).is_file() else None
    except (RuntimeError, OSError):
        return None  # the home of a user who is none, a name that is too long


def _servable(model: LocalModel) -> LocalModel:
    if model.problem:
        raise BrokenModel(f"{model.repo_id} cannot be served: {model.problem}")
    return model


def _read_folder(folder: Path, models: Sequence[LocalModel]) -> LocalModel:
    for model in models:
        if model.path.resolve() == folder.resolve():
            return model
    return read_local_model(folder, repo_id_of(folder))
