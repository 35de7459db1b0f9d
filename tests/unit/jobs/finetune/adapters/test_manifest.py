import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from jobs.errors import JobError
from jobs.finetune.adapters.manifest import export_manifest
from tests.unit.jobs.finetune.adapters.conftest import MakeAdapter, Q


def test_a_manifest_says_what_belongs_to_what(make_adapter: MakeAdapter, tmp_path: Path) -> None:
    adapter = make_adapter("a", {Q: 2})

    manifest = export_manifest(
        tmp_path / "export", base_model="owner/base", adapter_path=adapter, method="orpo"
    )

    assert json.loads((tmp_path / "export" / "manifest.json").read_text()) == manifest
    created = datetime.fromisoformat(manifest.pop("created_at"))
    assert abs((datetime.now(UTC) - created).total_seconds()) < 60
    assert manifest == {
        "version": 1,
        "base_model": "owner/base",
        "adapter_path": str(adapter),
        "method": "orpo",
    }


def test_a_method_that_is_not_known_is_left_out(make_adapter: MakeAdapter, tmp_path: Path) -> None:
    adapter = make_adapter("a", {Q: 2})

    manifest = export_manifest(tmp_path / "export", base_model="m", adapter_path=adapter)

    assert "method" not in manifest


def test_a_folder_without_an_adapter_is_refused(tmp_path: Path) -> None:
    with pytest.raises(JobError, match="holds no adapter"):
        export_manifest(tmp_path / "export", base_model="m", adapter_path=tmp_path)

    assert not (tmp_path / "export").exists()
