"""The scheduler: its rules one by one, then all of them under random scenarios."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inference.engine.call import Call
from inference.engine.config import EngineConfig
from inference.engine.plan import StepPlan, StepResult
from inference.engine.scheduler import Scheduler
from inference.engine.sequence import Sequence, SequenceStatus
from inference.events import FinishReason
from inference.request import SamplingParams

WORD, STOP = 1, 0


def make_sequence(name="a", *, prompt=4, max_tokens=3, stop=frozenset(), serial=False):
    prompt_ids = list(range(prompt))
    return Sequence(name, prompt_ids, SamplingParams(), max_tokens, stop, serial=serial)


def make_scheduler(*sequences, **limits):
    scheduler = Scheduler(EngineConfig(**limits))
    for sequence in sequences:
        scheduler.add(sequence)
    return scheduler


def lengths(plan):
    return [(chunk.sequence.id, chunk.start, chunk.length) for chunk in plan.prefills]


def run_until_running(scheduler, sequence):
    scheduler.admit()
    while sequence.status is not SequenceStatus.RUNNING:
        plan = scheduler.schedule()
        scheduler.update(plan, StepResult((WORD,) * len(plan.decodes)))


def test_a_prompt_is_computed_up_to_its_last_token():
    scheduler = make_scheduler(make_sequence(prompt=4))
    scheduler.admit()

    first, second = scheduler.schedule(), scheduler.schedule()

    assert lengths(first) == [("a", 0, 3)]
    assert [s.id for s in second.decodes] == ["a"]
    assert second.prefills == ()


def test_a_prompt_of_one_token_decodes_at_once():
    scheduler = make_scheduler(make_sequence(prompt=1))
    scheduler.admit()

    plan = scheduler.schedule()

    assert [s.id for s in plan.decodes] == ["a"]


def test_what_the_prefix_cache_holds_is_not_computed_again():
    sequence = make_sequence(prompt=10)
    scheduler = make_scheduler(sequence)
    scheduler.admit()
    sequence.num_computed = sequence.num_cached = 6

    plan = scheduler.schedule()

    assert lengths(plan) == [("a", 6, 3)]


def test_a_long_prompt_is_cut_into_chunks():
    scheduler = make_scheduler(make_sequence(prompt=10), max_prefill_tokens=4)
    scheduler.admit()

    plans = [scheduler.schedule() for _ in range(3)]

    assert [lengths(plan) for plan in plans] == [[("a", 0, 4)], [("a", 4, 4)], [("a", 8, 1)]]


def test_prompts_share_a_step_in_arrival_order():
    scheduler = make_scheduler(
        make_sequence("a", prompt=4), make_sequence("b", prompt=9), max_prefill_tokens=5
    )
    scheduler.admit()

    plan = scheduler.schedule()

    assert lengths(plan) == [("a", 0, 3), ("b", 0, 2)]


def test_every_other_step_serves_the_shortest_prompt_first():
    scheduler = make_scheduler(
        make_sequence("long", prompt=100),
        make_sequence("short", prompt=4),
        max_prefill_tokens=5,
        max_mixed_prefill_tokens=5,
    )
    scheduler.admit()

    plans = [scheduler.schedule() for _ in range(3)]

    assert [lengths(plan) for plan in plans] == [
        [("long", 0, 5)],
        [("short", 0, 3), ("long", 5, 2)],
        [("long", 7, 5)],
    ]


def test_a_prompt_pauses_at_its_checkpoints():
    sequence = make_sequence(prompt=10)
    scheduler = make_scheduler(sequence, max_prefill_tokens=5)
    scheduler.admit()
    sequence.checkpoints = frozenset({3, 7})

    plans = [scheduler.schedule(), scheduler.schedule()]

    assert [lengths(plan) for plan in plans] == [
        [("a", 0, 3), ("a", 3, 2)],
        [("a", 5, 2), ("a", 7, 2)],
    ]


def test_a_serial_sequence_waits_for_the_running_and_keeps_the_others_waiting():
    running, serial, late = make_sequence("a"), make_sequence("b", serial=True), make_sequence("c")
    scheduler = make_scheduler(running)
    run_until_running(scheduler, running)
    scheduler.add(serial)
    scheduler.add(late)

    assert scheduler.admit() == []
    scheduler.end(running)
    assert scheduler.admit() == [serial]
    assert scheduler.admit() == []
    scheduler.end(serial)
    assert scheduler.admit() == [late]


def test_a_call_waits_for_the_running_and_keeps_the_others_waiting():
    running, call, late = make_sequence("a"), Call(lambda: None), make_sequence("c")
    scheduler = make_scheduler(running)
    run_until_running(scheduler, running)
    scheduler.add(call)
    scheduler.add(late)

    assert (scheduler.admit(), scheduler.take_call()) == ([], None)
    scheduler.end(running)
    assert scheduler.take_call() is None  # the row is not freed yet
    scheduler.schedule()
    assert (scheduler.admit(), scheduler.take_call()) == ([], call)
    assert (scheduler.admit(), scheduler.take_call()) == ([late], None)


def test_a_call_behind_a_waiting_sequence_is_not_taken():
    scheduler = make_scheduler(make_sequence(), Call(lambda: None))

    assert scheduler.take_call() is None


def test_a_withdrawn_call_holds_nobody_up():
    call, sequence = Call(lambda: None), make_sequence()
    scheduler = make_scheduler(call, sequence)

    scheduler.withdraw(call)
    scheduler.withdraw(call)

    assert (scheduler.take_call(), scheduler.admit()) == (None, [sequence])


def test_calls_are_counted_among_the_waiting_and_are_no_sequences():
    sequence = make_sequence()
    scheduler = make_scheduler(Call(lambda: None), sequence)

    assert (scheduler.num_waiting, scheduler.num_pending, scheduler.num_active) == (2, 2, 0)
    assert scheduler.everyone() == [sequence]
    assert not scheduler.is_idle


def test_beside_a_running_sequence_a_step_computes_one_prompt():
    running, late, later = (make_sequence(name, prompt=4, max_tokens=9) for name in "abc")
    scheduler = make_scheduler(running, max_mixed_prefill_tokens=8)
    run_until_running(scheduler, running)
    scheduler.add(late)
    scheduler.add(later)
    scheduler.admit()

    plans = [scheduler.schedule(), scheduler.schedule()]

    assert plans[0].decodes == (running,)
    assert [lengths(plan) for plan in plans] == [[("b", 0, 3)], [("c", 0, 3)]]


def test_no_more_steps_are_launched_than_tokens_may_be_generated():
    sequence = make_sequence(prompt=1, max_tokens=2)
    scheduler = make_scheduler(sequence)
    scheduler.admit()

    plans = [scheduler.schedule() for _ in range(3)]

    assert [len(plan.decodes) for plan in plans] == [1, 1, 0]


def test_the_surplus_token_of_an_ended_sequence_is_dropped():
    sequence = make_sequence(prompt=1, max_tokens=9, stop=frozenset({STOP}))
    scheduler = make_scheduler(sequence)
    scheduler.admit()
    first, surplus = scheduler.schedule(), scheduler.schedule()

    advanced = scheduler.update(first, StepResult((STOP,)))
    after = scheduler.update(surplus, StepResult((WORD,)))

    assert (advanced, after) == ([sequence], [])
    assert sequence.output == [STOP]
    assert sequence.finish_reason() is FinishReason.STOP


def test_an_ended_row_is_reported_once():
    sequence = make_sequence(prompt=1, max_tokens=1)
    scheduler = make_scheduler(sequence)
    scheduler.admit()
    scheduler.update(scheduler.schedule(), StepResult((WORD,)))

    plans = [scheduler.schedule(), scheduler.schedule()]

    assert [plan.ended for plan in plans] == [(sequence,), ()]
    assert scheduler.is_idle


def test_a_waiting_sequence_that_ends_frees_no_row():
    sequence = make_sequence()
    scheduler = make_scheduler(sequence)

    scheduler.end(sequence)
    scheduler.end(sequence)

    assert scheduler.schedule().ended == ()
    assert scheduler.is_idle


def test_a_free_place_goes_to_the_oldest_waiting_sequence():
    a, b, c = (make_sequence(name, prompt=1, max_tokens=1) for name in "abc")
    scheduler = make_scheduler(a, b, c, max_running=1)

    first = scheduler.admit()
    scheduler.end(a)
    second = scheduler.admit()

    assert (first, second) == ([a], [b])


def test_sequences_that_lost_their_cache_are_forgotten_and_the_waiting_stay():
    running, prefilling, waiting = make_sequence("a"), make_sequence("b"), make_sequence("c")
    scheduler = make_scheduler(running, max_running=2)
    run_until_running(scheduler, running)
    scheduler.add(prefilling)
    scheduler.add(waiting)
    scheduler.admit()

    lost = scheduler.drop_active()

    assert lost == [prefilling, running]
    assert scheduler.everyone() == [waiting]
    assert scheduler.schedule().ended == ()


def test_a_sequence_remembers_whether_it_shared_a_step():
    alone, together = make_sequence("a", prompt=1), make_sequence("b", prompt=1)
    scheduler = make_scheduler(alone)
    scheduler.admit()
    scheduler.schedule()
    before = alone.shared_steps
    scheduler.add(together)
    scheduler.admit()
    scheduler.schedule()

    assert not before
    assert alone.shared_steps
    assert together.shared_steps


@pytest.mark.parametrize("name", ["max_running", "max_mixed_prefill_tokens", "max_prefill_tokens"])
def test_a_limit_below_one_is_refused(name):
    with pytest.raises(ValueError, match=name):
        EngineConfig(**{name: 0})


def test_no_waiting_line_at_all_is_allowed_and_a_negative_one_is_refused():
    assert EngineConfig(max_waiting=0).max_waiting == 0
    with pytest.raises(ValueError, match="max_waiting"):
        EngineConfig(max_waiting=-1)


# Random scenarios.


@dataclass
class Scenario:
    """A scheduler driven like the engine drives it, one step ahead, every rule checked."""

    config: EngineConfig
    sequences: list[Sequence] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    arrived: list[Sequence | Call] = field(default_factory=list)
    served: list[Sequence | Call] = field(default_factory=list)
    freed: list[Sequence] = field(default_factory=list)
    in_flight: StepPlan | None = None
    answers: dict[Sequence, int] = field(default_factory=dict)

    def __post_init__(self):
        self.scheduler = Scheduler(self.config)

    def add(self, prompt, max_tokens, answer, cached, *rest):
        serial, checkpoints = rest or (False, frozenset())
        sequence = make_sequence(
            str(len(self.sequences)),
            prompt=prompt,
            max_tokens=max_tokens,
            stop=frozenset({STOP}),
            serial=serial,
        )
        sequence.checkpoints = checkpoints
        sequence.num_cached = min(cached, prompt - 1)
        self.answers[sequence] = answer
        self.sequences.append(sequence)
        self.arrived.append(sequence)
        self.scheduler.add(sequence)

    def call(self):
        self.calls.append(Call(lambda: None))
        self.arrived.append(self.calls[-1])
        self.scheduler.add(self.calls[-1])

    def withdraw(self, which):
        if self.calls:
            self.scheduler.withdraw(self.calls[which % len(self.calls)])

    def abort(self, which):
        if self.sequences:
            self.scheduler.end(self.sequences[which % len(self.sequences)])

    def step(self):
        if not self.in_flight and (call := self.scheduler.take_call()):
            # Whoever got a place has given it back.
            assert {s for s in self.served if isinstance(s, Sequence)} == set(self.freed)
            self.served.append(call)
        for sequence in self.scheduler.admit():
            self.served.append(sequence)
            sequence.num_computed = sequence.num_cached
        before = {s: s.num_computed for s in self.sequences}
        ready = [s for s in self.sequences if self.wants_a_token(s)]
        plan = self.scheduler.schedule()
        # Running streams keep their pace: whoever can decode does, in every step.
        assert set(plan.decodes) == set(ready)
        self.check(plan)
        for sequence in self.sequences:
            passed = range(before[sequence] + 1, sequence.num_computed + 1)
            ends = {c.start + c.length for c in plan.prefills if c.sequence is sequence}
            assert set(passed) & sequence.checkpoints <= ends
        self.freed += plan.ended
        if self.in_flight is not None:
            self.read(self.in_flight)
        self.in_flight = plan

    def wants_a_token(self, sequence):
        placed = sequence.status in (SequenceStatus.PREFILLING, SequenceStatus.RUNNING)
        wants = sequence.num_launched < sequence.max_tokens
        return placed and sequence.num_prefill_left == 0 and wants

    def read(self, plan):
        ended = [s for s in plan.decodes if s.status is SequenceStatus.FINISHED]
        before = {s: list(s.output) for s in ended}
        tokens = tuple(self.token(s) for s in plan.decodes)

        advanced = self.scheduler.update(plan, StepResult(tokens))

        assert advanced == [s for s in plan.decodes if s not in before]
        assert all(s.output == output for s, output in before.items())

    def token(self, sequence):
        answer = self.answers[sequence]
        return STOP if len(sequence.output) + 1 == answer else WORD

    def check(self, plan):
        config = self.config
        num_prompt_tokens = sum(chunk.length for chunk in plan.prefills)
        if plan.decodes:
            assert num_prompt_tokens <= config.max_mixed_prefill_tokens
            assert len({chunk.sequence for chunk in plan.prefills}) <= 1
        else:
            assert num_prompt_tokens <= config.max_prefill_tokens
        assert self.scheduler.num_active <= config.max_running
        rows = [*plan.decodes, *(chunk.sequence for chunk in plan.prefills)]
        assert len(set(rows)) <= config.max_running
        assert len(set(plan.decodes)) == len(plan.decodes)
        assert not set(plan.decodes) & {chunk.sequence for chunk in plan.prefills}
        assert len(set(rows)) <= 1 or not any(sequence.serial for sequence in rows)
        assert not set(rows) & set(self.freed + list(plan.ended))
        for chunk in plan.prefills:
            assert chunk.length > 0
            assert chunk.start + chunk.length <= len(chunk.sequence.prompt) - 1
        for sequence in plan.decodes:
            assert sequence.num_prefill_left == 0
            assert sequence.num_launched <= sequence.max_tokens

    def steps_needed(self):
        """An upper bound: every prompt at one token a step, every answer in full, and turns."""
        alone = sum(len(s.prompt) + s.max_tokens + 4 for s in self.sequences)
        return alone + len(self.calls) + 2

    def finish(self):
        for _ in range(self.steps_needed()):
            if self.scheduler.is_idle and not self.in_flight:
                return
            self.step()
        raise AssertionError("a sequence starved")


ACTIONS = st.one_of(
    st.tuples(
        st.just("add"),
        st.integers(1, 40),  # prompt tokens
        st.integers(1, 8),  # max_tokens
        st.integers(1, 10),  # the answer's length, its stop token included
        st.integers(0, 40),  # cached tokens
        st.sampled_from([False, False, True]),  # serial
        st.frozensets(st.integers(1, 40), max_size=2),  # checkpoints
    ),
    st.tuples(st.just("call")),
    st.tuples(st.just("abort"), st.integers(0, 20)),
    st.tuples(st.just("withdraw"), st.integers(0, 20)),
    st.tuples(st.just("step")),
    st.tuples(st.just("step")),
)
CONFIGS = st.builds(
    EngineConfig,
    max_running=st.integers(1, 5),
    max_mixed_prefill_tokens=st.integers(1, 16),
    max_prefill_tokens=st.integers(1, 32),
)


@settings(deadline=None)
@given(CONFIGS, st.lists(ACTIONS, max_size=40))
def test_every_rule_holds_in_every_scenario(config, actions):
    scenario = Scenario(config)

    for name, *arguments in actions:
        getattr(scenario, name)(*arguments)
    scenario.finish()

    assert all(s.status is SequenceStatus.FINISHED for s in scenario.sequences)
    # First come, first served; and what was given a row gives it back, once.
    places = [scenario.arrived.index(served) for served in scenario.served]
    assert places == sorted(places)
    assert len(scenario.freed) == len(set(scenario.freed))
    assert set(scenario.freed) == {s for s in scenario.served if isinstance(s, Sequence)}


LEFT_ALONE = ACTIONS.filter(lambda action: action[0] not in ("abort", "withdraw"))


@settings(deadline=None)
@given(CONFIGS, st.lists(LEFT_ALONE, max_size=30))
def test_everyone_left_alone_is_served_in_order_of_arrival(config, actions):
    scenario = Scenario(config)

    for name, *arguments in actions:
        getattr(scenario, name)(*arguments)
    scenario.finish()

    assert scenario.served == scenario.arrived


@settings(deadline=None)
@given(CONFIGS, st.lists(LEFT_ALONE, max_size=30))
def test_every_answer_left_alone_is_complete(config, actions):
    scenario = Scenario(config)

    for name, *arguments in actions:
        getattr(scenario, name)(*arguments)
    scenario.finish()

    for sequence in scenario.sequences:
        answer = scenario.answers[sequence]
        assert len(sequence.output) == min(answer, sequence.max_tokens)
        expected = FinishReason.STOP if answer <= sequence.max_tokens else FinishReason.LENGTH
        assert sequence.finish_reason() is expected


@settings(deadline=None)
@given(
    st.integers(2, 16),  # tokens of a step
    st.lists(st.integers(50, 400), min_size=1, max_size=3),  # long prompts
    st.integers(1, 40),  # the short prompt
    st.integers(0, 3),  # running streams
)
def test_a_short_prompt_is_not_held_up_by_long_ones(budget, long_prompts, short, streams):
    config = EngineConfig(max_running=8, max_mixed_prefill_tokens=budget, max_prefill_tokens=budget)
    scenario = Scenario(config)
    for _ in range(streams):
        scenario.add(1, 10_000, 10_000, 0)
    for prompt in long_prompts:
        scenario.add(1000 + prompt, 1, 1, 0)
    scenario.step()
    scenario.add(short, 5, 5, 0)
    newcomer = scenario.sequences[-1]

    # Every other step is the shortest prompt's, the other steps are the oldest one's.
    allowed = 2 * -(-(short - 1) // budget) + 2
    for _ in range(allowed):
        scenario.step()

    assert newcomer.num_launched > 0
    assert scenario.sequences[streams].num_computed > 0
