import json

import pytest
from huggingface_hub import constants

from hub.downloads.errors import HubUnreachable
from hub.search import Hit, search
from tests.plugins.fake_hub import FakeHub


@pytest.fixture
def hub(fake_hub: FakeHub) -> FakeHub:
    fake_hub.add("mlx-community/Qwen3-4bit", {})
    fake_hub.add("Qwen/Qwen3", {}, tags=("transformers",))
    return fake_hub


def test_models_tagged_mlx_are_found(hub: FakeHub) -> None:
    assert search(hub.url, "qwen", None) == [Hit("mlx-community/Qwen3-4bit", downloads=7, likes=3)]


def test_no_match_is_an_empty_list(hub: FakeHub) -> None:
    assert search(hub.url, "nothing like it", None) == []


def test_a_token_is_sent(hub: FakeHub) -> None:
    search(hub.url, "qwen", "hf_t")

    assert hub.seen_tokens == [("127.0.0.1", "Bearer hf_t")]


def test_a_hub_that_is_down_is_asked_once(hub: FakeHub) -> None:
    hub.down = True

    with pytest.raises(HubUnreachable, match="the Hub answered 503"):
        search(hub.url, "qwen", None)

    assert len(hub.requests) == 1


def test_no_hub_at_all_is_unreachable(hub: FakeHub) -> None:
    hub.stop()

    with pytest.raises(HubUnreachable, match="the Hub cannot be reached"):
        search(hub.url, "qwen", None)


def test_a_machine_told_to_stay_offline_asks_nobody(
    hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)

    with pytest.raises(HubUnreachable, match="HF_HUB_OFFLINE is set"):
        search(hub.url, "qwen", None)

    assert hub.requests == []


@pytest.mark.parametrize("body", ["<html>", '{"error": "no"}', "null", "[" * 100_000])
def test_an_answer_that_is_no_list_of_models_is_none(body: str, hub: FakeHub) -> None:
    hub.search_body = body.encode()

    with pytest.raises(HubUnreachable, match="the Hub's answer is not"):
        search(hub.url, "qwen", None)


def test_rows_without_an_id_are_left_out_and_odd_counts_are_none(hub: FakeHub) -> None:
    hub.search_body = json.dumps([{"id": "a/b", "downloads": None}, {}, 1, {"id": 7}]).encode()

    assert search(hub.url, "a", None) == [Hit("a/b", downloads=0, likes=0)]
