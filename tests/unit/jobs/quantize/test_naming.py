import hashlib
from pathlib import Path

import pytest

from hub.config import HubConfig
from jobs.quantize.config import QuantizeConfig
from jobs.quantize.errors import QuantizeError
from jobs.quantize.naming import destination

HUB = HubConfig(Path("/models"), Path("/hf"))
CONFIG = QuantizeConfig(model_id="any")


@pytest.mark.parametrize(
    ("source", "repo_id"),
    [
        ("org/name", "org/name-OptiQ-4bit"),
        ("name", "local/name-OptiQ-4bit"),
        ("org/My Model (v2)", "org/MyModelv2-OptiQ-4bit"),
        ("örg/nämé.1_x", "rg/nm.1_x-OptiQ-4bit"),
        ("/somewhere/models/mine", "models/mine-OptiQ-4bit"),
        ("org/a--b", "org/a-b-OptiQ-4bit"),
        ("..org/.name", "org/name-OptiQ-4bit"),
    ],
)
def test_the_name_keeps_owner_and_name_without_strange_letters(source: str, repo_id: str) -> None:
    assert destination(HUB, source, CONFIG).repo_id == repo_id


def test_the_snapshot_is_named_by_the_hash_of_the_repo_id() -> None:
    place = destination(HUB, "org/name", CONFIG)

    commit = hashlib.sha1(b"org/name-OptiQ-4bit").hexdigest()
    assert place.folder == Path(f"/hf/models--org--name-OptiQ-4bit/snapshots/{commit}")


@pytest.mark.parametrize("source", ["org/模型", "org/...", "n" * 96])
def test_a_name_of_which_nothing_or_too_much_is_left_is_refused(source: str) -> None:
    with pytest.raises(QuantizeError, match="rename the folder"):
        destination(HUB, source, CONFIG)
