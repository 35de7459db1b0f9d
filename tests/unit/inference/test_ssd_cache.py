"""Options of the SSD cache: what cannot be, what is in vain, and what they come to."""

from dataclasses import replace

import pytest

from hub.local_model import read_local_model
from inference.options import OptionError, ServeOptions
from inference.ssd_cache import check, origin_of, ssd_config
from tests.plugins.tiny_model import write_checkpoint


def options(**values):
    return ServeOptions(**values)


def test_without_a_folder_there_is_no_tier():
    assert ssd_config(options()) is None
    assert check(options()) == []


def test_the_defaults(tmp_path):
    config = ssd_config(options(ssd_cache=str(tmp_path)))

    assert config.folder == tmp_path
    assert (config.max_bytes, config.queue_bytes) == (32 * 2**30, 2 * 2**30)
    assert (config.verify, config.write_behind, config.demote_idle_seconds) == (False, True, 300)


@pytest.mark.parametrize(("given", "seconds"), [(None, 300), (0, None), (0.0, None), (12.5, 12.5)])
def test_when_unused_prompts_leave_the_memory(given, seconds):
    config = ssd_config(options(ssd_cache="cache", ssd_demote_idle=given))

    assert config.demote_idle_seconds == seconds


def test_a_folder_may_be_in_the_home_folder(monkeypatch):
    monkeypatch.setenv("HOME", "/somewhere")

    assert str(ssd_config(options(ssd_cache="~/cache")).folder) == "/somewhere/cache"


@pytest.mark.parametrize(
    ("values", "remedy"),
    [
        ({"ssd_cache": "x", "prompt_cache": 0.0}, "--prompt-cache 0"),
        ({"ssd_cache": "x", "generation_checkpoint": 8}, "add --batch 1"),
        ({"generation_checkpoint": 8, "batch": 1}, "add --ssd-cache DIR"),
    ],
)
def test_what_cannot_be(values, remedy):
    with pytest.raises(OptionError, match=remedy):
        check(options(**values))


@pytest.mark.parametrize(
    ("values", "flag"),
    [
        ({"ssd_cache_max": 5.0}, "--ssd-cache-max"),
        ({"ssd_cache_verify": True}, "--ssd-cache-verify"),
        ({"ssd_demote_idle": 0.0}, "--ssd-demote-idle"),
        ({"ssd_writebehind": False}, "MLXSITE_SSD_WRITEBEHIND"),
        ({"ssd_spill_queue_gb": 1.0}, "MLXSITE_SSD_SPILL_QUEUE_GB"),
    ],
)
def test_what_is_in_vain(values, flag):
    assert check(options(**values)) == [f"{flag} has no effect without --ssd-cache"]
    assert check(options(**values, ssd_cache="x")) == []


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "tiny"
    write_checkpoint(folder, "llama")
    return read_local_model(folder, "owner/tiny")


def origin(model, *, run_as="cpu, float32", scheme="bf16", formats=()):
    return origin_of(model, run_as=run_as, scheme=scheme, formats=list(formats))


def test_the_same_model_run_alike_has_the_same_folder(model):
    assert origin(model) == origin(model)
    assert origin(model).key.endswith("-bf16")


@pytest.mark.parametrize(
    "change", [{"run_as": "cpu, bfloat16"}, {"scheme": "kv4"}, {"formats": ["kv4", "bf16"]}]
)
def test_run_differently_it_has_another(model, change):
    assert origin(model, **change).key != origin(model).key


def test_other_files_are_another_model(model):
    assert origin(replace(model, snapshot="other")).key != origin(model).key


def test_another_tokenizer_is_told_from_the_first(model):
    before = origin(model).tokenizer
    path = model.path / "tokenizer.json"
    path.write_text(path.read_text() + "\n")

    assert origin(model).tokenizer != before
