"""What a job tells of itself, whatever becomes of its log."""

import errno
import json
from io import StringIO

import pytest

from jobs.emitter import Emitter


def told(tell):
    sink = StringIO()
    tell(Emitter(sink))
    return [json.loads(line) for line in sink.getvalue().splitlines()]


def test_each_event_is_a_line():
    def tell(emit):
        emit.log("two\nlines")
        emit.stage("train", 0.5, "step 1", output_dir="/out")
        emit.metric("val", 3, 0.5, learning_rate=1e-5, progress=0.1)

    assert told(tell) == [
        {"type": "log", "line": "two\nlines"},
        {
            "type": "stage",
            "stage": "train",
            "progress": 0.5,
            "message": "step 1",
            "output_dir": "/out",
        },
        {
            "type": "metric",
            "kind": "val",
            "step": 3,
            "loss": 0.5,
            "learning_rate": 1e-5,
            "progress": 0.1,
        },
    ]


class Full(StringIO):
    def write(self, text):
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("sink", [Full(), StringIO()])
def test_a_log_that_fails_does_not_fail_the_job(sink):
    if not isinstance(sink, Full):
        sink.close()

    Emitter(sink).log("lost")


def test_every_event_is_flushed():
    flushed = []

    class Sink(StringIO):
        def flush(self):
            flushed.append(self.getvalue())

    Emitter(Sink()).log("x")

    assert flushed == ['{"type":"log","line":"x"}\n']
