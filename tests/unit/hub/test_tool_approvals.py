import json
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from hub.state_file import NotSaved, locked
from hub.tool_approvals import ToolApprovals


@pytest.fixture
def approvals(tmp_path: Path) -> ToolApprovals:
    return ToolApprovals(tmp_path / "tool-approvals.json")


def test_at_first_every_tool_is_asked_about(approvals: ToolApprovals) -> None:
    assert approvals.allowed() == []


def test_tools_are_allowed_and_forgotten_by_name(approvals: ToolApprovals) -> None:
    for tool in ("edit", "bash", "edit"):
        approvals.allow(tool)
    assert approvals.allowed() == ["bash", "edit"]

    approvals.forget("bash")
    approvals.forget("bash")
    assert approvals.allowed() == ["edit"]


def test_of_changes_at_once_none_is_lost(approvals: ToolApprovals) -> None:
    tools = [f"tool{number}" for number in range(8)]
    for tool in tools:
        approvals.allow(tool)
    together = threading.Barrier(2 * len(tools))

    def change(change: Callable[[str], None], tool: str) -> None:
        together.wait(20)
        change(tool)

    threads = [
        *(threading.Thread(target=change, args=(approvals.forget, tool)) for tool in tools),
        *(threading.Thread(target=change, args=(approvals.allow, f"new {t}")) for t in tools),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)

    assert approvals.allowed() == [f"new {tool}" for tool in tools]


def test_what_another_program_is_changing_is_not_saved_over(
    approvals: ToolApprovals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hub.state_file.LOCK_PATIENCE", 0.0)

    with locked(approvals.path), pytest.raises(NotSaved, match="by another program"):
        approvals.allow("bash")


def test_the_file_is_private_and_says_its_version(approvals: ToolApprovals) -> None:
    approvals.allow("bash")

    assert json.loads(approvals.path.read_text()) == {"version": 1, "allows": {"bash": True}}
    assert approvals.path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"allows": {"bash": true}}',
        '{"version": 2, "allows": {"bash": true}}',
        '{"version": 1, "allows": ["bash"]}',
        '{"version": 1, "allows": {"bash": "yes"}}',
        '{"version": 1, "allows": {"bash": false}}',
    ],
)
def test_a_file_that_is_not_understood_allows_nothing(text: str, approvals: ToolApprovals) -> None:
    approvals.path.write_text(text)

    assert approvals.allowed() == []


def test_forgetting_leaves_a_file_of_a_later_version_alone(approvals: ToolApprovals) -> None:
    later = '{"version": 2, "allows": {"bash": true}}'
    approvals.path.write_text(later)

    approvals.forget("bash")

    assert approvals.path.read_text() == later
