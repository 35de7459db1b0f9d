"""A call by itself: what its future tells."""

import pytest

from inference.engine.call import Call


def test_the_result_is_what_the_function_returns():
    call = Call(lambda: 7)

    call.run()

    assert call.future.result() == 7


def test_what_the_function_raises_reaches_the_caller():
    def fail():
        raise ArithmeticError("overflow")

    call = Call(fail)

    call.run()

    with pytest.raises(ArithmeticError, match="overflow"):
        call.future.result()


def test_a_cancelled_function_does_not_run():
    ran = []
    call = Call(lambda: ran.append(1))
    call.future.cancel()

    call.run()

    assert ran == []


def test_a_failed_call_tells_why_without_running():
    ran = []
    call = Call(lambda: ran.append(1))

    call.fail(OSError("closed"))

    with pytest.raises(OSError, match="closed"):
        call.future.result()
    assert ran == []


def test_to_fail_a_cancelled_call_is_harmless():
    call = Call(lambda: 7)
    call.future.cancel()

    call.fail(OSError("closed"))

    assert call.future.cancelled()
