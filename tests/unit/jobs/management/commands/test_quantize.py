import json
from io import StringIO
from types import ModuleType
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.core.management.base import OutputWrapper

from jobs.emitter import Emitter
from jobs.errors import JobError
from jobs.management.commands import quantize as command
from jobs.management.commands.quantize import Console, report
from jobs.outcome import Outcome
from jobs.quantize.config import QuantizeConfig

SUMMARY: dict[str, Any] = {
    "repo_id": "org/name-OptiQ-4bit", "size_bytes": 75_700_000, "bits_per_weight": 4.503,
    "modules_by_bits": {"4": 200, "8": 11}, "perplexity": 12.5, "source_perplexity": 12.0,
    "reference": "org/name", "kl": 0.05, "agreement": 0.9,
}  # fmt: skip


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What reaches the job, which is not run; MLX is not loaded."""
    seen: list[dict[str, Any]] = []

    def run(config: dict[str, Any], emit: Emitter) -> Outcome:
        seen.append(config)
        emit.log("warning: so it is")
        if config["bits"] == 2:
            raise JobError("too few bits for org/name")
        if config["bits"] == 3:
            raise KeyboardInterrupt
        return Outcome("/hf/result", SUMMARY)

    module = ModuleType("jobs.quantize.run")
    module.run = run  # type: ignore[attr-defined]
    monkeypatch.setitem(__import__("sys").modules, "jobs.quantize.run", module)
    monkeypatch.setattr(command, "prepare_backend", lambda: None)
    monkeypatch.setattr(command.signal, "signal", lambda number, handler: None)
    return seen


def test_flags_are_the_fields_of_the_route(requests: list[dict[str, Any]]) -> None:
    out, err = StringIO(), StringIO()

    call_command(
        "quantize", "org/name", "--target-bpw", "5", "--candidate-bits", "4", "8",
        "--group-size", "32", "--rotate-weights", "--rotation-seed", "7", "--scales", "float16",
        "--calibration-mix", "code,chat", "--n-calibration", "8", "--reference", "org/other",
        stdout=out, stderr=err,
    )  # fmt: skip

    config = QuantizeConfig.from_json(requests[0])
    assert config == QuantizeConfig(
        model_id="org/name", target_bpw=5.0, candidate_bits=(4, 8), group_size=32,
        rotate_weights=True, rotation_seed=7, scales="float16",
        calibration_mix=("code", "chat"), n_calibration=8, reference="org/other",
    )  # fmt: skip
    assert "org/name-OptiQ-4bit is ready: /hf/result" in out.getvalue()
    assert err.getvalue() == "warning: so it is\n"


def test_a_model_alone_takes_the_defaults(requests: list[dict[str, Any]]) -> None:
    call_command("quantize", "org/name", stdout=StringIO(), stderr=StringIO())

    assert QuantizeConfig.from_json(requests[0]) == QuantizeConfig(model_id="org/name")


@pytest.mark.parametrize(
    ("bits", "words"), [("2", "too few bits for org/name"), ("3", "stopped; nothing was left")]
)
def test_what_goes_wrong_is_one_line(requests: list[dict[str, Any]], bits: str, words: str) -> None:
    with pytest.raises(CommandError, match=words):
        call_command("quantize", "org/name", "--bits", bits, stderr=StringIO())


def test_without_a_terminal_each_message_is_told_once() -> None:
    out = StringIO()
    emit = Emitter(Console(OutputWrapper(out)))

    for progress in (0.1, 0.2, 0.3):
        emit.stage("read", progress, "Reading")
    emit.stage("write", 0.4, "Writing")

    assert out.getvalue() == "Reading\nWriting\n"


def test_on_a_terminal_one_line_shows_how_far_it_is() -> None:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    out = Terminal()
    Console(OutputWrapper(out)).write(
        json.dumps({"type": "stage", "stage": "read", "progress": 0.42, "message": "Reading"})
    )

    assert out.getvalue().endswith(" 42%  Reading")
    assert "\n" not in out.getvalue()


def test_the_report_tells_what_a_rotation_changed() -> None:
    lines = report({**SUMMARY, "rotation": {"seed": 1, "kl_without": 0.03}})

    assert lines[-1] == "without the rotation: KL divergence 0.03"
    assert "200 of 4, 11 of 8" in lines[1]
