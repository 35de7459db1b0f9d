import json
import re
from pathlib import Path

import pytest

from mlxsite.clients import pi

URL = "http://127.0.0.1:8080/v1"
MODEL = {
    "id": 'org/a "model"',
    "owned_by": "mlxsite",
    "context_window": 4096,
    "reasoning": True,
    "vision": False,
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return pi.extension_path(tmp_path / "agent")


def constant(path: Path, name: str) -> object:
    found = re.search(rf"^const {name}\b.*? = (.*);$", path.read_text(), re.MULTILINE)
    assert found is not None
    return json.loads(found[1])


def test_the_extension_lies_where_pi_looks_for_some(path: Path) -> None:
    assert path.parts[-3:] == ("agent", "extensions", "mlxsite-provider.ts")


def test_the_file_holds_the_server_and_its_model(path: Path) -> None:
    stored = pi.install(path, URL, [MODEL])

    assert constant(path, "BASE_URL") == URL
    assert constant(path, "STORED") == stored == [MODEL]
    assert "@" not in path.read_text().replace("@mariozechner", "")


def test_installing_again_changes_nothing(path: Path) -> None:
    pi.install(path, URL, [MODEL])
    before = path.read_bytes()

    pi.install(path, URL, [MODEL])

    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_what_is_stored_outlives_an_install_without_a_server(path: Path) -> None:
    pi.install(path, URL, [MODEL])

    assert pi.install(path, URL, []) == [MODEL]


def test_what_another_server_had_is_not_kept(path: Path) -> None:
    pi.install(path, URL, [MODEL])

    assert pi.install(path, URL.replace("8080", "9000"), []) == []


@pytest.mark.parametrize("stored", ["[oops]", '["oops"]', '[{"id": "oops"}]', "none"])
def test_a_file_that_somebody_edited_is_written_anew(path: Path, stored: str) -> None:
    pi.install(path, URL, [])
    path.write_text(path.read_text().replace(" = [];", f" = {stored};"))
    assert stored in path.read_text()

    assert pi.install(path, URL, []) == constant(path, "STORED") == []


def test_a_file_of_somebody_else_is_left_alone(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text("export default () => {};\n")

    with pytest.raises(pi.NotOurs, match="was not written by harness_pi; move it away"):
        pi.install(path, URL, [MODEL])
    with pytest.raises(pi.NotOurs):
        pi.remove(path)
    assert path.read_text() == "export default () => {};\n"


def test_removing_takes_our_file_and_no_other(path: Path) -> None:
    pi.install(path, URL, [MODEL])
    other = path.with_name("other.ts")
    other.touch()

    assert pi.remove(path)
    assert list(path.parent.iterdir()) == [other]


def test_there_may_be_nothing_to_remove(path: Path) -> None:
    assert not pi.remove(path)
