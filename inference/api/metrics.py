"""`GET /metrics`: the engine's counters in the Prometheus text format.

`ServiceCollector` names and describes them; what they count is told in
`inference/engine/stats.py`. A scrape costs the engine nothing: it reads the picture that was
taken after the last step.
"""

from collections.abc import Iterator
from itertools import accumulate

from django.http import HttpRequest, HttpResponse
from ninja import Router
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from inference import runtime
from inference.api.openapi.stats import METRICS
from inference.engine.cache.ssd.stats import SsdStats
from inference.engine.runner import RunnerStats
from inference.engine.stats import STEP_BUCKETS, EngineStats
from inference.events import FinishReason
from inference.service import GenerationService

router = Router(tags=["Metrics"])

# Each is told from the start, at zero: a series that appears late hides its first increase.
OUTCOMES = (FinishReason.STOP.value, FinishReason.LENGTH.value, "error", "abort")


@router.api_operation(["GET", "HEAD"], "/metrics", openapi_extra=METRICS)
async def metrics(request: HttpRequest) -> HttpResponse:
    registry = CollectorRegistry()  # not the library's global one, which holds others' metrics
    registry.register(ServiceCollector(runtime.get_service()))
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_PLAIN_0_0_4)


class ServiceCollector(Collector):
    """What one service tells Prometheus, all of it from a single picture of its engine."""

    def __init__(self, service: GenerationService) -> None:
        self._service = service

    def collect(self) -> Iterator[Metric]:
        stats = self._service.stats()
        yield from _requests(stats)
        yield from _tokens(stats)
        yield _steps(stats)
        yield from _caches(stats.runner)
        if (on_disk := self._service.durability.stats()) is not None:
            yield from _ssd_cache(on_disk)
        yield from _limits(self._service)
        yield _model(self._service)


def _requests(stats: EngineStats) -> Iterator[Metric]:
    yield _counter("requests_submitted", "Requests that the engine accepted.", stats.submitted)
    ended = CounterMetricFamily(
        "mlxsite_requests", "Requests that ended, by outcome.", labels=["outcome"]
    )
    for outcome in dict.fromkeys([*OUTCOMES, *stats.ended]):
        ended.add_metric([outcome], stats.ended.get(outcome, 0))
    yield ended
    now = GaugeMetricFamily(
        "mlxsite_sequences", "Requests in the engine now, by state.", labels=["state"]
    )
    now.add_metric(["waiting"], stats.waiting)
    now.add_metric(["prefilling"], stats.pending - stats.waiting)
    now.add_metric(["decoding"], stats.active)
    yield now


def _tokens(stats: EngineStats) -> Iterator[Metric]:
    yield _counter("prompt_tokens", "Tokens of admitted prompts.", stats.prompt_tokens)
    yield _counter(
        "cached_prompt_tokens",
        "Of the prompt tokens, those taken from the prefix cache.",
        stats.cached_tokens,
    )
    yield _counter("generated_tokens", "Tokens generated.", stats.completion_tokens)


def _steps(stats: EngineStats) -> Metric:
    bounds = [*map(str, STEP_BUCKETS), "+Inf"]
    return HistogramMetricFamily(
        "mlxsite_step_seconds",
        "Time from one step's tokens to the next's.",
        buckets=list(zip(bounds, accumulate(stats.step_counts), strict=True)),
        sum_value=stats.step_seconds,
    )


def _caches(runner: RunnerStats) -> Iterator[Metric]:
    yield _gauge("prefix_cache_entries", "Prompts in the prefix cache.", runner.cache_entries)
    yield _gauge("prefix_cache_bytes", "Size of the prefix cache.", runner.cache_bytes)
    yield _gauge("prefix_cache_limit_bytes", "Limit of that size.", runner.cache_max_bytes)
    yield _counter(
        "prefix_cache_hits", "Prompts of which the prefix cache had a part.", runner.cache_hits
    )
    yield _counter("prefix_cache_misses", "Prompts of which it had nothing.", runner.cache_misses)
    yield _gauge("kv_bytes", "Keys and values of requests in the engine now.", runner.kv_bytes)


def _ssd_cache(stats: SsdStats) -> Iterator[Metric]:
    yield _gauge("ssd_cache_entries", "Prompts on disk.", stats.entries)
    yield _gauge("ssd_cache_bytes", "Size of their files.", stats.bytes)
    yield _gauge("ssd_cache_limit_bytes", "Limit of that size.", stats.max_bytes)
    yield _gauge(
        "ssd_cache_pending_snapshots",
        "Prompts that are to be on disk and are not.",
        stats.pending_snapshots,
    )
    yield _gauge("ssd_cache_pending_bytes", "What waits to be written.", stats.pending_spill_bytes)
    yield _counter("ssd_cache_restores", "Prompts that were read from disk.", stats.restores)
    yield _counter("ssd_cache_spills", "Files written.", stats.spills)
    yield _counter(
        "ssd_cache_demotions",
        "Prompts that left the memory because nobody used them.",
        stats.demotions,
    )
    yield _counter(
        "ssd_cache_dropped_spills", "Files that had to leave the queue.", stats.dropped_spills
    )
    yield _counter(
        "ssd_cache_failed_spills", "Files that could not be written.", stats.failed_spills
    )


def _limits(service: GenerationService) -> Iterator[Metric]:
    config = service.config
    yield _gauge("memory_usable_bytes", "Memory the model may take.", config.usable_bytes)
    yield _gauge("memory_weights_bytes", "Memory the weights take.", config.weight_bytes)
    yield _gauge("context_limit_tokens", "Longest prompt and answer together.", config.max_context)
    yield _gauge("batch_limit", "Requests that may decode together.", service.max_running)


def _model(service: GenerationService) -> Metric:
    facts = {"model": service.model.model_id, "backend": service.config.backend}
    return InfoMetricFamily("mlxsite_model", "The served model and how it is run.", facts)


def _counter(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(f"mlxsite_{name}", text, value)


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"mlxsite_{name}", text, value)
