"""Who is under way and whom there is room for, without an engine."""

import pytest

from inference.engine.call import Call, Hold
from inference.engine.callers import Callers
from inference.engine.config import EngineConfig
from inference.engine.plan import TokenOutput
from inference.errors import EngineNotRunning, QueueFull
from inference.events import FinishReason

LIMITS = EngineConfig(max_running=2, max_waiting=1)


@pytest.fixture
def callers():
    callers = Callers()
    callers.open()
    return callers


def add(callers, *names):
    for name in names:
        callers.add_sequence(name, f"stream of {name}", LIMITS)


def is_full(callers):
    try:
        callers.add_call(Call(int), LIMITS)
    except QueueFull:
        return True
    return False


@pytest.mark.parametrize(
    "enter",
    [
        lambda callers: add(callers, "a"),
        lambda callers: callers.add_call(Call(int), LIMITS),
        lambda callers: callers.add_interjection(Call(int)),
        lambda callers: callers.add_hold(Hold()),
    ],
    ids=["sequence", "call", "interjection", "hold"],
)
def test_nobody_is_let_in_before_it_opens_and_after_it_closes(enter, callers):
    callers.close()

    for closed in (callers, Callers()):
        with pytest.raises(EngineNotRunning):
            enter(closed)
        assert closed.is_idle


def test_there_is_room_for_free_places_and_the_line(callers):
    add(callers, "a", "b", "c")

    assert is_full(callers)
    callers.place("a", alone=False)
    assert is_full(callers)


def test_a_serial_sequence_leaves_no_place(callers):
    add(callers, "a")
    callers.place("a", alone=True)
    add(callers, "b")
    assert is_full(callers)

    callers.drop_sequence("a")

    assert not is_full(callers)


def test_neither_does_a_call_or_a_hold_that_was_granted(callers):
    hold = Hold()
    callers.add_hold(hold)
    hold.grant()
    add(callers, "a")
    assert is_full(callers)
    callers.remove_hold(hold)
    call = Call(int)
    callers.add_call(call, LIMITS)

    with callers.in_call(call):
        assert is_full(callers)
        assert callers.num_under_way == 2

    assert callers.num_under_way == 1


def test_outputs_find_their_streams_until_the_last(callers):
    add(callers, "a", "b")
    callers.drop_sequence("b")
    news = [
        TokenOutput("a", (1,)),
        TokenOutput("b", (1,)),
        TokenOutput("a", (2,), FinishReason.STOP),
        TokenOutput("a", error="too late"),
    ]

    assert callers.route(news) == [("stream of a", news[0]), ("stream of a", news[2])]
    assert callers.is_idle


def test_whoever_is_left_at_the_end_is_told_of(callers):
    call, hold = Call(int), Hold()
    add(callers, "a")
    callers.add_call(call, LIMITS)
    callers.add_hold(hold)

    assert callers.close() == (["a"], [call, hold])
    assert callers.num_submitted == 1
