"""What the JSON files of a model folder tell."""

import json

import pytest

from inference.model_info import FALLBACK_CONTEXT, GenerationDefaults, read_model_info


def read(folder, config=None, generation=None):
    (folder / "config.json").write_text(json.dumps({} if config is None else config))
    if generation is not None:
        (folder / "generation_config.json").write_text(json.dumps(generation))
    return read_model_info("org/name", folder)


def test_it_takes_its_facts_from_the_files(tmp_path):
    config = {"model_type": "llama", "max_position_embeddings": 8192}
    generation = {"temperature": 0.2, "top_p": 0.9, "top_k": 40, "eos_token_id": 2}

    info = read(tmp_path, config, generation)

    assert (info.model_id, info.path) == ("org/name", tmp_path)
    assert (info.model_type, info.context_window) == ("llama", 8192)
    assert info.defaults == GenerationDefaults(0.2, 0.9, 40)
    assert (info.config, info.generation_config) == (config, generation)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"text_config": {"max_position_embeddings": 4000}}, 4000),
        ({"text_config": {}, "max_position_embeddings": 5000}, 5000),
        ({"text_config": None, "max_position_embeddings": 6000}, 6000),
        ({}, FALLBACK_CONTEXT),
        ({"max_position_embeddings": None}, FALLBACK_CONTEXT),
        ({"max_position_embeddings": 0}, FALLBACK_CONTEXT),
        ({"max_position_embeddings": -1}, FALLBACK_CONTEXT),
        ({"max_position_embeddings": "8192"}, FALLBACK_CONTEXT),
        ({"max_position_embeddings": True}, FALLBACK_CONTEXT),
    ],
)
def test_the_context_window_is_where_the_checkpoint_says_or_a_safe_guess(
    tmp_path, config, expected
):
    assert read(tmp_path, config).context_window == expected


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"vocab_size": 100}, 100),
        ({"text_config": {"vocab_size": 200}, "vocab_size": 100}, 200),
        ({"text_config": {}, "vocab_size": 100}, 100),
        ({"vocab_size": "many"}, None),
        ({}, None),
    ],
)
def test_the_vocabulary_is_as_large_as_the_checkpoint_says(tmp_path, config, expected):
    assert read(tmp_path, config).vocab_size == expected


@pytest.mark.parametrize(
    ("generation", "expected"),
    [
        (None, GenerationDefaults()),
        ({}, GenerationDefaults()),
        ({"temperature": None, "top_p": "0.9", "top_k": True}, GenerationDefaults()),
        ({"temperature": 1, "top_k": 40.0}, GenerationDefaults(1.0, None, 40)),
        # Out of range: what no request could ask for is no default either.
        ({"temperature": -1, "top_p": 7, "top_k": -1}, GenerationDefaults()),
        ({"temperature": float("nan"), "top_p": float("inf")}, GenerationDefaults()),
        ({"top_k": float("inf")}, GenerationDefaults()),
        ({"do_sample": False, "temperature": 0.6}, GenerationDefaults(0.6)),
    ],
)
def test_defaults_are_the_authors_where_they_are_usable_numbers(tmp_path, generation, expected):
    assert read(tmp_path, {}, generation).defaults == expected


def test_each_value_of_the_overlay_counts_only_where_it_is_given():
    base, overlay = GenerationDefaults(0.2, 0.9, 40), GenerationDefaults(None, 0.0, 0)

    assert base.overlaid_by(overlay) == GenerationDefaults(0.2, 0.0, 0)


def test_a_folder_without_a_config_is_told(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_model_info("org/name", tmp_path)


@pytest.mark.parametrize("text", ["[]", "{", ""])
def test_a_config_that_is_no_object_is_told(tmp_path, text):
    (tmp_path / "config.json").write_text(text)

    with pytest.raises(ValueError, match=r"config.json|Expecting"):
        read_model_info("org/name", tmp_path)


def test_an_embedding_model_is_one_by_the_rule_of_the_registry(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "qwen3"}))

    assert read_model_info("Qwen/Qwen3-Embedding-0.6B", tmp_path).is_embedding
    assert not read_model_info("Qwen/Qwen3-0.6B", tmp_path).is_embedding
