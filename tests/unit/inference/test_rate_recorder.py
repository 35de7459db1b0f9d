"""Measured decode rates on their way to the database."""

import logging
import threading

import pytest

from hub import decode_rates
from hub.machine import this_chip
from inference import rate_recorder
from inference.rate_recorder import RateRecorder
from tests.plugins.scripted_models import local_model

MODEL = local_model("org/a", snapshot="abc")


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def record(monkeypatch, clock):
    """A recorder that has written when it returns, and what it wrote."""
    written = []
    monkeypatch.setattr(decode_rates, "record_decode_rate", lambda **fields: written.append(fields))
    recorder = RateRecorder(MODEL, clock)

    def record(tokens=40, seconds=2.0):
        recorder(tokens, seconds)
        wait()
        return written

    return record


def wait():
    for thread in threading.enumerate():
        if thread.name == "decode-rate":
            thread.join(5)


def test_a_rate_is_written_for_the_model_s_files_and_the_chip(record):
    assert record() == [
        {
            "repo_id": "org/a",
            "snapshot": "abc",
            "device": this_chip(),
            "tokens": 40,
            "seconds": 2.0,
        }
    ]


def test_one_is_written_in_a_minute(record, clock):
    record()
    clock.now = 59.0
    assert len(record()) == 1
    clock.now = 60.0
    assert len(record()) == 2


def test_a_short_answer_is_passed_over_and_takes_no_turn(record):
    assert record(tokens=31) == []
    assert len(record(tokens=32)) == 1


def test_the_shortest_answer_is_the_database_s():
    assert rate_recorder.SHORTEST_TOKENS == decode_rates.SHORTEST_TOKENS


def test_what_cannot_be_written_is_logged_and_no_more(monkeypatch, caplog):
    def fail(**fields):
        raise OSError("no disk")

    monkeypatch.setattr(decode_rates, "record_decode_rate", fail)
    caplog.set_level(logging.INFO)

    RateRecorder(MODEL)(100, 1.0)
    wait()

    assert "the decode rate of org/a was not kept: no disk" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_a_rate_arrives_in_the_database():
    RateRecorder(MODEL)(100, 4.0)
    wait()

    kept = decode_rates.decode_rates(this_chip())
    assert kept["org/a", "abc"].tokens_per_second == 25.0
