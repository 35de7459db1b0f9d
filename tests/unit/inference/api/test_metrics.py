"""One service's figures as Prometheus reads them."""

import pytest
from prometheus_client import CollectorRegistry

from inference.api.metrics import ServiceCollector
from inference.engine.runner import RunnerStats
from inference.engine.stats import STEP_BUCKETS, EngineStats

RUNNER = RunnerStats(
    cache_entries=2, cache_bytes=300, cache_max_bytes=400, cache_hits=5, cache_misses=6, kv_bytes=7
)
STATS = EngineStats(
    submitted=10,
    ended={"stop": 4, "error": 1},
    prompt_tokens=100,
    cached_tokens=40,
    completion_tokens=50,
    step_seconds=1.5,
    step_counts=(3, 2, *[0] * (len(STEP_BUCKETS) - 2), 1),
    active=2,
    pending=3,
    waiting=1,
    runner=RUNNER,
)


@pytest.fixture
def service(make_service, monkeypatch):
    service = make_service(max_context=2048, max_running=4)
    monkeypatch.setattr(service, "stats", lambda: STATS)
    return service


@pytest.fixture
def value(service):
    """Call with a sample's name and labels; None where there is no such sample."""
    registry = CollectorRegistry()
    registry.register(ServiceCollector(service))
    return lambda name, **labels: registry.get_sample_value(f"mlxsite_{name}", labels)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("requests_submitted_total", 10),
        ("prompt_tokens_total", 100),
        ("cached_prompt_tokens_total", 40),
        ("generated_tokens_total", 50),
        ("prefix_cache_entries", 2),
        ("prefix_cache_bytes", 300),
        ("prefix_cache_limit_bytes", 400),
        ("prefix_cache_hits_total", 5),
        ("prefix_cache_misses_total", 6),
        ("kv_bytes", 7),
        ("context_limit_tokens", 2048),
        ("batch_limit", 4),
    ],
)
def test_every_figure_has_its_name(value, name, expected):
    assert value(name) == expected


def test_requests_are_told_by_outcome_those_at_zero_too(value):
    outcomes = ["stop", "error", "length", "abort"]

    assert [value("requests_total", outcome=outcome) for outcome in outcomes] == [4, 1, 0, 0]


def test_sequences_are_told_by_state_each_in_one(value):
    states = ["waiting", "prefilling", "decoding"]

    assert [value("sequences", state=state) for state in states] == [1, 2, 2]


def test_the_histogram_is_cumulative_and_its_last_bucket_is_its_count(value):
    counts = [value("step_seconds_bucket", le=str(bound)) for bound in STEP_BUCKETS]

    assert counts == [3] + [5] * (len(STEP_BUCKETS) - 1)
    assert value("step_seconds_bucket", le="+Inf") == value("step_seconds_count") == 6
    assert value("step_seconds_sum") == 1.5


def test_the_model_and_how_it_is_run_are_labels(value):
    assert value("model_info", model="scripted", backend="") == 1
