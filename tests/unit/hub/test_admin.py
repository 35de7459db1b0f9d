"""The admin pages of the hub: searched, filtered, sorted, and as read-only as they say."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from pytest_django.fixtures import Settings

from hub import library
from hub.config import HubConfig
from hub.downloads import runtime
from hub.models import DecodeRate, DownloadRecord, LocalModelRow
from tests.plugins.fake_hub import FakeHub
from tests.plugins.five_models import CASES, M4_PRO
from tests.plugins.hub_model import REPO_ID, SHARD_2, model_files
from tests.plugins.hub_settings import until

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)
HUB = "/django-admin/hub"
MODELS, DOWNLOADS, RATES = f"{HUB}/localmodelrow/", f"{HUB}/downloadrecord/", f"{HUB}/decoderate/"


@pytest.fixture
def models(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> HubConfig:
    """An M4 Pro with a model that fits, one that does not, and a folder that is none."""
    settings.HUB = HubConfig(tmp_path / "cache" / "models", tmp_path / "hf")
    monkeypatch.setattr(library, "this_machine", lambda config: M4_PRO)
    library.forget()
    quantized = {**CASES["dense"].config, "quantization": {"bits": 4, "group_size": 64}}
    folder = settings.HUB.models_dir / "org"
    replace(CASES["dense"], config=quantized).write(folder / "fitting")
    CASES["hybrid mixture"].write(folder / "large")
    (folder / "broken").mkdir()
    (folder / "broken" / "config.json").write_text("{")
    config: HubConfig = settings.HUB
    return config


def listed(page: str) -> list[str]:
    """The names that a list shows, in its order."""
    return re.findall(r'<th class="field-repo_id"><a [^>]*>([^<]+)</a>', page)


@pytest.fixture
def names(admin_client: Client) -> Callable[..., list[str]]:
    def names(path: str, **query: str) -> list[str]:
        return listed(admin_client.get(path, query).content.decode())

    return names


Names = Callable[..., list[str]]


@pytest.mark.usefixtures("models")
def test_models_on_disk_are_listed_as_a_scan_finds_them(names: Names) -> None:
    assert names(MODELS) == ["org/broken", "org/fitting", "org/large"]


@pytest.mark.django_db  # by this mark, tests of rows are found for other databases
@pytest.mark.usefixtures("models")
@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"q": "FIT"}, ["org/fitting"]),
        ({"q": "qwen3_next"}, ["org/large"]),
        ({"q": "json"}, ["org/broken"]),
        ({"servable": "yes"}, ["org/fitting", "org/large"]),
        ({"servable": "no"}, ["org/broken"]),
        ({"support__exact": "targeted"}, ["org/fitting", "org/large"]),
        ({"support__exact": "none"}, ["org/broken"]),
        ({"fits__exact": "1"}, ["org/fitting"]),
        ({"fits__exact": "0"}, ["org/large"]),
        ({"quant_bits": "4"}, ["org/fitting"]),
        ({"model_type": "llama"}, ["org/fitting"]),
        ({"o": "-1", "servable": "yes"}, ["org/large", "org/fitting"]),
        ({"o": "6", "servable": "yes"}, ["org/fitting", "org/large"]),
        ({"o": "-6", "servable": "yes"}, ["org/large", "org/fitting"]),
    ],
)
def test_models_are_searched_filtered_and_sorted(
    names: Names, query: dict[str, str], found: list[str]
) -> None:
    assert names(MODELS, **query) == found


@pytest.mark.usefixtures("models")
@pytest.mark.parametrize(
    ("repo_id", "told"),
    [
        ("org/fitting", ["4 bits, in groups of 64", "4.50 GB", "104,529", "40.2"]),
        ("org/broken", ["no model: "]),
    ],
)
def test_a_model_has_a_page(
    admin_client: Client, names: Names, repo_id: str, told: list[str]
) -> None:
    names(MODELS)
    row = LocalModelRow.objects.get(repo_id=repo_id)

    page = admin_client.get(f"{MODELS}{row.pk}/change/").content.decode()

    assert [text for text in told if text not in page] == []
    assert row.path in page
    assert 'name="_save"' not in page


def test_a_measured_rate_is_shown_as_such(
    models: HubConfig, admin_client: Client, names: Names
) -> None:
    names(MODELS)
    snapshot = LocalModelRow.objects.get(repo_id="org/fitting").snapshot
    DecodeRate.objects.create(
        repo_id="org/fitting",
        snapshot=snapshot,
        device=M4_PRO.chip,
        tokens_per_second=12.5,
        measured_at=NOON,
    )

    assert "12.5 (measured)" in admin_client.get(MODELS).content.decode()


@pytest.mark.usefixtures("models")
@pytest.mark.parametrize("path", [MODELS, DOWNLOADS, RATES])
def test_nothing_can_be_added_or_changed(admin_client: Client, path: str) -> None:
    assert admin_client.get(f"{path}add/").status_code == 403
    assert admin_client.post(f"{path}add/", {"repo_id": "a/b"}).status_code == 403


@pytest.mark.usefixtures("models")
def test_a_model_on_disk_can_be_neither_changed_nor_deleted(
    admin_client: Client, names: Names
) -> None:
    names(MODELS)
    row = LocalModelRow.objects.get(repo_id="org/fitting")

    assert admin_client.post(f"{MODELS}{row.pk}/change/", {"repo_id": "x"}).status_code == 403
    assert admin_client.post(f"{MODELS}{row.pk}/delete/", {"post": "yes"}).status_code == 403
    assert Path(row.path).is_dir()


def download(repo_id: str, state: str, **changes: object) -> DownloadRecord:
    values = {"started_at": NOON, "finished_at": NOON, **changes}
    return DownloadRecord.objects.create(repo_id=repo_id, state=state, **values)


@pytest.mark.usefixtures("hub_settings")
def test_downloads_are_searched_and_filtered(admin_client: Client, names: Names) -> None:
    download("a/done", "done", received_bytes=10**9, total_bytes=2 * 10**9)
    download("a/failed", "failed", error="the disk is full")

    assert names(DOWNLOADS, q="disk") == ["a/failed"]
    assert names(DOWNLOADS, state__exact="done") == ["a/done"]
    page = admin_client.get(DOWNLOADS).content.decode()
    assert "1.00 GB of 2.00 GB (50%)" in page


@pytest.mark.usefixtures("hub_settings")
def test_a_download_has_a_page(admin_client: Client) -> None:
    row = download("a/done", "done", finished_at=NOON.replace(minute=12))

    assert "12\xa0minutes" in admin_client.get(f"{DOWNLOADS}{row.pk}/change/").content.decode()


def cancel(client: Client, *rows: DownloadRecord) -> str:
    form = {"action": "cancel", "_selected_action": [str(row.pk) for row in rows]}
    return client.post(DOWNLOADS, form, follow=True).content.decode()


def test_a_download_under_way_is_cancelled(
    admin_client: Client, hub_settings: HubConfig, fake_hub: FakeHub
) -> None:
    fake_hub.add(REPO_ID, model_files())
    fault = fake_hub.fail(SHARD_2, hold_at=1)
    runtime.get_downloads().start(REPO_ID)
    until(fault.held.is_set)
    row = DownloadRecord.objects.get()

    page = cancel(admin_client, row)
    fault.release.set()

    assert f"Cancelled: {REPO_ID}." in page
    until(lambda: DownloadRecord.objects.get().state == "cancelled")


@pytest.mark.usefixtures("hub_settings")
def test_what_is_over_cannot_be_cancelled(admin_client: Client) -> None:
    page = cancel(admin_client, download("a/done", "done"))

    assert "None of these is under way in this server." in page


@pytest.mark.usefixtures("hub_settings")
def test_only_whoever_may_change_downloads_may_cancel_them(
    client: Client,
) -> None:
    user = User.objects.create_user("reader", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_downloadrecord"))
    client.force_login(user)
    download("a/done", "done")

    assert "Cancel selected downloads" not in client.get(DOWNLOADS).content.decode()


def test_a_row_of_history_is_deleted_unless_it_is_active(
    admin_client: Client, hub_settings: HubConfig, fake_hub: FakeHub
) -> None:
    fake_hub.add(REPO_ID, model_files())
    fault = fake_hub.fail(SHARD_2, hold_at=1)
    runtime.get_downloads().start(REPO_ID)
    until(fault.held.is_set)
    over, active = download("a/done", "done"), DownloadRecord.objects.get(state="active")

    statuses = [
        admin_client.post(f"{DOWNLOADS}{row.pk}/delete/", {"post": "yes"}).status_code
        for row in (over, active)
    ]

    assert statuses == [302, 403]
    assert DownloadRecord.objects.get() == active


def test_decode_rates_are_searched_and_deleted(admin_client: Client, names: Names) -> None:
    rates = [
        DecodeRate.objects.create(
            repo_id=repo_id,
            snapshot="abc",
            device="M4 Pro",
            tokens_per_second=speed,
            measured_at=NOON,
        )
        for repo_id, speed in (("a/slow", 3.25), ("a/fast", 1234.5))
    ]
    assert names(RATES, q="SLOW") == ["a/slow"]
    assert names(RATES, o="-3") == ["a/fast", "a/slow"]
    assert "1,234.5" in admin_client.get(RATES).content.decode()

    admin_client.post(f"{RATES}{rates[0].pk}/delete/", {"post": "yes"})

    assert names(RATES) == ["a/fast"]
