"""The library as rows: what a scan found, and nothing else."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from shutil import rmtree

import pytest
from pytest_django import DjangoAssertNumQueries

from hub.config import HubConfig
from hub.decode_rates import MeasuredRate
from hub.library import Library, assess_all
from hub.library_rows import LARGEST, mirror
from hub.models import LocalModelRow
from hub.registry import Skipped, scan
from tests.plugins.five_models import CASES, M4_PRO

pytestmark = pytest.mark.django_db


def library(config: HubConfig) -> Library:
    rates = {("org/dense", "abc"): MeasuredRate(12.5, datetime(2026, 7, 1, tzinfo=UTC))}
    return assess_all(scan(config), M4_PRO, rates)


@pytest.fixture
def dense(config: HubConfig) -> Path:
    folder = config.models_dir / "org" / "dense"
    case = CASES["dense"]
    quantized = {**case.config, "quantization": {"bits": 4, "group_size": 64}}
    replace(case, config=quantized).write(folder)
    (folder / "chat_template.jinja").write_text("{{ tools }}")
    return folder


def test_a_row_says_what_is_known_of_a_model(config: HubConfig, dense: Path) -> None:
    mirror(library(config))

    row = LocalModelRow.objects.get()
    assert (row.repo_id, row.path, row.model_type) == ("org/dense", str(dense), "llama")
    assert (row.support, row.problem) == ("targeted", "")
    assert (row.size_bytes, row.quant_bits, row.quant_group_size) == (4_500_000_000, 4, 64)
    assert (row.tools, row.vision, row.reasoning) == (True, False, False)
    assert (row.fits, row.max_safe_context) == (True, CASES["dense"].max_context)
    assert row.predicted_tps == pytest.approx(CASES["dense"].tps, abs=0.001)
    assert row.measured_tps is None


def test_a_folder_that_is_no_model_has_a_row_with_the_reason(config: HubConfig) -> None:
    (config.models_dir / "org" / "broken").mkdir(parents=True)
    (config.models_dir / "org" / "broken" / "config.json").write_text("{")

    mirror(library(config))

    row = LocalModelRow.objects.get()
    assert (row.repo_id, row.support, row.size_bytes, row.fits) == (
        "org/broken",
        "none",
        None,
        None,
    )
    assert row.problem.startswith("no model: ")


def test_a_model_that_has_gone_loses_its_row(config: HubConfig, dense: Path) -> None:
    mirror(library(config))
    rmtree(dense)

    mirror(library(config))

    assert not LocalModelRow.objects.exists()


def test_a_model_that_has_changed_keeps_its_page(config: HubConfig, dense: Path) -> None:
    mirror(library(config))
    before = LocalModelRow.objects.get()
    (dense / "chat_template.jinja").unlink()

    mirror(library(config))

    after = LocalModelRow.objects.get()
    assert (before.pk, before.tools) == (after.pk, True)
    assert not after.tools


@pytest.mark.usefixtures("dense")
def test_nothing_is_written_where_nothing_has_changed(
    config: HubConfig, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    mirror(library(config))

    with django_assert_num_queries(4):  # savepoint, read, delete nothing, release
        mirror(library(config))


def test_what_no_column_takes_is_cut_to_what_one_does(config: HubConfig, dense: Path) -> None:
    found = library(config)
    [entry] = found.entries
    odd = replace(entry.model, model_type="x" * 1000 + "\0", path=Path("/a/\udcff\0"))
    assert entry.assessment is not None
    huge = replace(entry.assessment, total_bytes=2**80)
    skipped = (Skipped("\udcff" * 600, dense, "\0"),)

    mirror(replace(found, entries=(replace(entry, model=odd, assessment=huge),), skipped=skipped))

    row, other = LocalModelRow.objects.order_by("id")
    assert (len(row.model_type), row.path, row.total_bytes) == (255, "/a/?\ufffd", LARGEST)
    assert (other.repo_id, other.problem) == ("?" * 512, "no model: \ufffd")
