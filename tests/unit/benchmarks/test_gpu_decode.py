"""The comparison on a GPU, as far as it goes without one."""

import json
import sys
from types import SimpleNamespace

from benchmarks import gpu_decode, gpu_workload
from benchmarks.gpu_workload import fastest, gaps_over, prompts


def set_clock(monkeypatch, *seconds):
    readings = iter(seconds)
    monkeypatch.setattr(gpu_workload, "time", SimpleNamespace(perf_counter=lambda: next(readings)))


def test_a_batch_has_prompts_of_mixed_lengths_and_a_lone_stream_one_of_512():
    assert [len(prompt) for prompt in prompts(1)] == [512]
    assert len({len(prompt) for prompt in prompts(64)}) > 30
    assert prompts(8) == prompts(64)[:8]


def test_the_fastest_window_counts(monkeypatch):
    set_clock(monkeypatch, 0.0, 0.4, 1.0, 1.2, 2.0, 2.3, 3.0, 3.5)
    steps = []

    result = fastest(lambda: steps.append(1), rows=8)

    assert (round(result.step_ms, 6), round(result.rate)) == (5.0, 1600)
    assert len(steps) == 40 + 4 * 40


def test_slow_steps_are_timed_in_fewer_windows(monkeypatch):
    set_clock(monkeypatch, 0.0, 6.0)

    assert fastest(lambda: None, rows=1).step_ms == 150.0


def test_the_longest_step_is_the_gap(monkeypatch):
    set_clock(monkeypatch, 0.0, 0.125, 0.25, 0.75, 1.0, 1.25)
    steps = []

    assert gaps_over(lambda: steps.append(1), lambda: len(steps) == 3) == 0.5


def test_what_was_done_before_the_limit_is_kept(monkeypatch):
    line = json.dumps({"whose": "mlx-lm", "what": "decode", "unit": "tokens/s", "value": 2.0})
    script = f"import time; print({line!r}, flush=True); time.sleep(60)"
    popen = gpu_decode.subprocess.Popen
    monkeypatch.setattr(
        gpu_decode.subprocess,
        "Popen",
        lambda command, **options: popen([sys.executable, "-c", script], **options),
    )

    lines, ended = gpu_decode._measure("shape", "bf16", limit=1)

    assert not ended
    assert [row.measure for row in gpu_decode._rows(lines)] == ["decode"]
