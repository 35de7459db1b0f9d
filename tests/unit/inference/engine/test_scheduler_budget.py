"""What sequences could grow to never exceeds the budget, and nobody overtakes who waits for it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from hub.kv_cost import KvCost
from inference.engine.config import EngineConfig
from inference.engine.plan import StepResult
from inference.engine.scheduler import Scheduler
from inference.engine.sequence import Sequence, SequenceStatus
from inference.request import SamplingParams

A_BYTE_A_TOKEN = KvCost(full=1.0)


def make_sequence(name, prompt, max_tokens, serial=False):
    return Sequence(name, [0] * prompt, SamplingParams(), max_tokens, serial=serial)


def make_scheduler(budget, *sequences, places=8):
    scheduler = Scheduler(
        EngineConfig(max_running=places, kv_cost=A_BYTE_A_TOKEN, kv_budget_bytes=budget)
    )
    for sequence in sequences:
        scheduler.add(sequence)
    return scheduler


def names(sequences):
    return [sequence.id for sequence in sequences]


def step(scheduler):
    plan = scheduler.schedule()
    scheduler.update(plan, StepResult((1,) * len(plan.decodes)))


def test_a_place_is_not_enough_where_the_budget_is_spent():
    scheduler = make_scheduler(
        30, make_sequence("a", 5, 10), make_sequence("b", 5, 10), make_sequence("c", 1, 1)
    )

    assert names(scheduler.admit()) == ["a", "b"]
    assert scheduler.kv_bytes == 30
    assert scheduler.num_waiting == 1


def test_who_would_fit_does_not_overtake_who_does_not():
    scheduler = make_scheduler(
        30, make_sequence("a", 5, 10), make_sequence("b", 10, 10), make_sequence("c", 1, 1)
    )

    assert names(scheduler.admit()) == ["a"]


def test_a_sequence_that_ends_makes_room():
    first = make_sequence("a", 5, 10)
    scheduler = make_scheduler(30, first, make_sequence("b", 10, 10), make_sequence("c", 5, 5))
    scheduler.admit()

    scheduler.end(first)

    assert scheduler.kv_bytes == 0
    assert names(scheduler.admit()) == ["b", "c"]


def test_whoever_is_alone_is_served():
    scheduler = make_scheduler(10, make_sequence("a", 50, 50), make_sequence("b", 1, 1))

    assert names(scheduler.admit()) == ["a"]


def test_without_a_budget_only_places_count():
    scheduler = make_scheduler(None, *(make_sequence(str(n), 50, 50) for n in range(9)))

    assert len(scheduler.admit()) == 8
    assert scheduler.kv_bytes == 800


ARRIVALS = st.lists(
    st.tuples(st.integers(1, 30), st.integers(1, 30), st.sampled_from([False, False, True])),
    max_size=12,
)


@settings(deadline=None)
@given(st.integers(60, 150), st.integers(1, 5), ARRIVALS)
def test_everyone_is_served_in_order_within_the_budget(budget, places, arrivals):
    sequences = [make_sequence(str(number), *rest) for number, rest in enumerate(arrivals)]
    scheduler = make_scheduler(budget, *sequences, places=places)
    served = []

    for _ in range(sum(prompt + answer for prompt, answer, _ in arrivals) + 2):
        served += scheduler.admit()
        assert scheduler.kv_bytes <= budget
        held = [len(s.prompt) + s.max_tokens for s in sequences if s.status in PLACED]
        assert scheduler.kv_bytes == sum(held)
        step(scheduler)

    assert served == sequences
    assert scheduler.is_idle
    assert all(len(sequence.output) == sequence.max_tokens for sequence in sequences)


PLACED = (SequenceStatus.PREFILLING, SequenceStatus.RUNNING)
