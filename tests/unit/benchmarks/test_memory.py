"""Peak memory is that of a process and all that it started."""

import os

import pytest

from benchmarks.memory import PROC, peak_bytes


@pytest.fixture
def proc(tmp_path):
    def add(pid, parent, kilobytes):
        (tmp_path / str(pid)).mkdir()
        text = f"Name:\tpython\nPid:\t{pid}\nPPid:\t{parent}\n"
        if kilobytes:
            text += f"VmHWM:\t  {kilobytes} kB\n"
        (tmp_path / str(pid) / "status").write_text(text)

    add(1, 0, 9000)
    add(10, 1, 100)
    add(11, 10, 20)
    add(12, 11, 3)
    add(13, 10, 0)  # ending
    add(20, 1, 5000)
    return tmp_path


def test_descendants_count_and_strangers_do_not(proc):
    assert peak_bytes(10, proc) == 123 * 1024


def test_a_process_that_has_ended_has_no_peak(proc):
    for pid in (13, 99):
        with pytest.raises(RuntimeError, match="has ended"):
            peak_bytes(pid, proc)


def test_a_system_without_proc_is_named_as_the_reason(tmp_path):
    with pytest.raises(RuntimeError, match="/proc"):
        peak_bytes(1, tmp_path / "none")


@pytest.mark.skipif(not PROC.is_dir(), reason="no /proc here")
def test_this_process_takes_megabytes():
    assert peak_bytes(os.getpid()) > 10**7
