"""The step loop drives any runner; its rate counts steps in which every row decodes."""

import pytest

from benchmarks.step_loop import WARM_UP_STEPS, StepLoop, decode_rate
from inference.engine.scripted import ScriptedRunner
from inference.engine.sequence import Sequence
from inference.request import SamplingParams


def sequence(number, max_tokens=5):
    return Sequence(f"s{number}", [1, 2, 3], SamplingParams(temperature=0), max_tokens)


def test_it_runs_sequences_to_their_end():
    loop = StepLoop(ScriptedRunner(lambda _: [7, 8, 9]), max_running=2)
    sequences = [loop.add(sequence(number, max_tokens=3)) for number in range(4)]

    loop.run()

    assert [s.output for s in sequences] == [[7, 8, 9]] * 4


def test_it_stops_where_a_condition_comes_true():
    loop = StepLoop(ScriptedRunner(lambda _: [7]))
    one = loop.add(sequence(0))

    loop.run_until(lambda: len(one.output) == 2)

    assert one.output == [7, 7]


def test_what_a_prompt_raises_is_raised():
    class Broken(ScriptedRunner):
        def launch(self, plan):
            step = super().launch(plan)
            step.failed += [(chunk.sequence, OSError("broken")) for chunk in plan.prefills]
            return step

    loop = StepLoop(Broken(lambda _: [7]))
    loop.add(sequence(0))

    with pytest.raises(OSError, match="broken"):
        loop.run()


def test_the_rate_counts_full_steps_only():
    decoding = []
    runner = ScriptedRunner(lambda _: [7], on_step=lambda plan: decoding.append(len(plan.decodes)))

    assert decode_rate(runner, rows=3, steps=10) > 0
    assert decoding.count(3) >= 10 + WARM_UP_STEPS
    assert runner.rows == {}
