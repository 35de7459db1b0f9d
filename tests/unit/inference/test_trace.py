"""One request's record: its phases in order, written once, on every path."""

import json
import threading

import pytest

from inference.trace import Outcome, Phase, Stage, Trace, guarded, measured


class Clock:
    """Stands still until it is told to move on."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now

    def pass_ms(self, milliseconds):
        self.now += milliseconds / 1000


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def lines():
    return []


@pytest.fixture
def trace(clock, lines):
    return Trace(
        trace_id="mine", request_id="cmpl-1", route="/v1/x", write=lines.append, clock=clock
    )


@pytest.fixture
def record(lines):
    """Call for the one record that was written."""

    def read():
        [line] = lines
        assert line.startswith("[p2r] ") and line.endswith("\n")
        return json.loads(line.removeprefix("[p2r] "))

    return read


def test_a_record_says_whose_it_is_and_how_it_ended(trace, record, clock):
    clock.pass_ms(12.5)

    trace.finish(Outcome.SUCCESS)

    assert record() == {
        "version": 1,
        "traceId": "mine",
        "requestId": "cmpl-1",
        "route": "/v1/x",
        "clock": "monotonic-ms",
        "outcome": "success",
        "totalMs": 12.5,
        "events": [],
    }


def test_a_phase_has_its_start_its_duration_and_its_attributes(trace, record, clock):
    clock.pass_ms(1)
    trace.begin(Phase.PREFILL)
    clock.pass_ms(2)

    trace.end(Phase.PREFILL, tokens=7)

    trace.finish(Outcome.SUCCESS)
    assert record()["events"] == [
        {
            "phase": "prefill.total",
            "startMs": 1.0,
            "durationMs": 2.0,
            "attributes": {"tokens": 7},
        }
    ]


def test_events_are_sorted_by_their_start_not_by_their_end(trace, record, clock):
    with trace.measure(Phase.COMPLETION):
        clock.pass_ms(1)
        with trace.measure(Phase.PLACEMENT):
            clock.pass_ms(1)

    trace.finish(Outcome.SUCCESS)

    phases = [event["phase"] for event in record()["events"]]
    assert phases == ["completion.total", "completion.placement"]


def test_phases_of_one_kind_may_overlap_under_keys_of_their_own(trace, record, clock):
    for start in (0, 32):
        trace.begin(Phase.PREFILL_CHUNK, start)
        clock.pass_ms(1)
    for start in (0, 32):
        trace.end(Phase.PREFILL_CHUNK, start)

    trace.finish(Outcome.SUCCESS)

    assert [(e["startMs"], e["durationMs"]) for e in record()["events"]] == [(0, 2), (1, 1)]


def test_a_phase_that_never_began_cannot_end(trace, record):
    trace.end(Phase.PREFILL)

    trace.finish(Outcome.SUCCESS)

    assert record()["events"] == []


def test_the_first_and_the_final_write_are_marks(trace, record, clock):
    for _ in range(3):
        clock.pass_ms(10)
        trace.wrote()

    trace.finish(Outcome.SUCCESS)

    assert record()["events"] == [
        {"phase": "response.first_write", "startMs": 10.0, "durationMs": 0.0},
        {"phase": "response.final_write", "startMs": 30.0, "durationMs": 0.0},
    ]


def test_an_answer_in_one_piece_has_both_marks_at_one_moment(trace, record):
    trace.wrote()

    trace.finish(Outcome.SUCCESS)

    phases = [event["phase"] for event in record()["events"]]
    assert phases == ["response.first_write", "response.final_write"]


def test_a_phase_still_under_way_is_marked_as_unfinished(trace, record, clock):
    trace.begin(Phase.ADMISSION_WAIT)
    clock.pass_ms(5)

    trace.abort()

    assert record()["outcome"] == "abort"
    [event] = record()["events"]
    assert (event["durationMs"], event["attributes"]) == (5.0, {"unfinished": True})


def test_only_the_first_end_is_written_and_nothing_is_noted_after_it(trace, record):
    trace.finish(Outcome.SUCCESS)

    trace.begin(Phase.KV_MAINTENANCE)
    trace.end(Phase.KV_MAINTENANCE)
    trace.abort()

    assert (record()["outcome"], record()["events"]) == ("success", [])


def test_an_answer_that_broke_is_an_error_however_it_is_finished(trace, record):
    trace.fail()

    trace.finish(Outcome.SUCCESS)

    assert record()["outcome"] == "error"


def test_an_exception_in_a_guarded_block_ends_the_record_with_its_stage(trace, record):
    with (
        pytest.raises(ValueError),
        guarded(trace, Stage.BODY_PARSE),
        measured(trace, Phase.BODY_PARSE),
    ):
        raise ValueError

    assert record()["outcome"] == "error"
    assert record()["attributes"] == {"stage": "body_parse"}
    assert [event["phase"] for event in record()["events"]] == ["request.body_parse"]


def test_a_cancelled_block_is_an_abort_and_no_stage_of_an_error(trace, record):
    with pytest.raises(KeyboardInterrupt), guarded(trace, Stage.PREPARE_COMPLETION):
        raise KeyboardInterrupt

    assert record()["outcome"] == "abort"
    assert "attributes" not in record()


def test_a_guarded_block_that_ends_well_writes_nothing(trace, lines):
    with guarded(trace, Stage.BODY_PARSE):
        pass

    assert lines == []


def test_without_a_trace_every_block_is_one_shared_object():
    blocks = [measured(None, phase) for phase in Phase]
    blocks += [guarded(None), guarded(None, Stage.BODY_PARSE)]

    assert len(set(map(id, blocks))) == 1
    with blocks[0], blocks[1]:
        pass


@pytest.mark.parametrize("text", ["a\nb", '"', "\u2028", "\x00", "é😀", "\udcff"])
def test_a_record_is_one_line_of_ascii_whatever_its_names(text, lines):
    trace = Trace(trace_id=text, request_id="a", route="/", write=lines.append)

    trace.finish(Outcome.SUCCESS)

    [line] = lines
    assert line.isascii() and line.splitlines() == [line.rstrip("\n")]
    assert json.loads(line.removeprefix("[p2r] "))["traceId"] == text


@pytest.mark.parametrize("error", [BrokenPipeError(), ValueError("I/O on closed file")])
def test_a_record_that_nobody_can_read_harms_nobody(error):
    def write(line):
        raise error

    Trace(trace_id="a", request_id="a", route="/", write=write).finish(Outcome.SUCCESS)


def test_threads_may_note_while_the_record_is_written(lines):
    trace = Trace(trace_id="a", request_id="a", route="/", write=lines.append)
    begun, stop = threading.Event(), threading.Event()

    def note():
        while not stop.is_set():
            trace.begin(Phase.PREFILL_CHUNK)
            trace.end(Phase.PREFILL_CHUNK)
            begun.set()

    thread = threading.Thread(target=note)
    thread.start()
    assert begun.wait(5)
    trace.finish(Outcome.SUCCESS)
    stop.set()
    thread.join(5)

    assert len(lines) == 1
    assert json.loads(lines[0].removeprefix("[p2r] "))["events"]
