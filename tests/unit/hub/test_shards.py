import pytest

from hub.shards import missing_shard


@pytest.mark.parametrize(
    ("names", "missing"),
    [
        ([], None),
        (["model.safetensors"], None),
        (["model-1-of-1.safetensors"], None),
        (["model-00002-of-00002.safetensors"], "model-00001-of-00002.safetensors"),
        (["model-00001-of-00003.safetensors", "model-00003-of-00003.safetensors"],
         "model-00002-of-00003.safetensors"),
        (["model-00001-of-99999999.safetensors"], "model-00000002-of-99999999.safetensors"),
        (["model-a-00001-of-00001.safetensors", "model-b-00001-of-00002.safetensors"],
         "model-b-00002-of-00002.safetensors"),
        ([f"model-0000{number}-of-00003.safetensors" for number in (0, 1, 2)], None),
        ([f"model-0000{number}-of-00003.safetensors" for number in (0, 2)],
         "model-00001-of-00003.safetensors"),
        ([f"model-0000{number}-of-00003.safetensors" for number in (0, 1)],
         "model-00002-of-00003.safetensors"),
        ([f"model-0000{number}-of-00003.safetensors" for number in (0, 2, 3)], None),
        (["model-00001-of-00002.safetensors.index.json", "model-x-of-2.safetensors"], None),
    ],
)  # fmt: skip
def test_a_shard_is_missed_by_the_names_of_the_others(
    names: list[str], missing: str | None
) -> None:
    assert missing_shard(names) == missing
