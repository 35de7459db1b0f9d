"""The filter of system calls, run here as the kernel would."""

import errno

import pytest

from jobs.dataset.sandbox.linux.calls import (
    ARCHITECTURE,
    CALLS,
    CLONE,
    CLONE3,
    F_SETOWN,
    F_SETOWN_EX,
    FCNTL,
    PRLIMIT64,
    TGKILL,
)
from jobs.dataset.sandbox.linux.seccomp import (
    ALLOW,
    ARCH,
    FAIL,
    JUMP_AT_LEAST,
    JUMP_EQUAL,
    JUMP_SET,
    LOAD,
    NUMBER,
    RETURN,
    SECOND_ARGUMENT,
    rules,
)

PID = 1234
MACHINES = list(CALLS)
REFUSED = FAIL | errno.EPERM


def decide(machine, call, first=0, arch=None, second=0):
    """What the filter of a machine returns for a call."""
    program = rules(machine, PID)
    arch = ARCHITECTURE[machine] if arch is None else arch
    value, place = 0, 0
    while True:
        code, yes, no, operand = program[place]
        place += 1
        if code == RETURN:
            return operand
        if code == LOAD:
            value = {ARCH: arch, NUMBER: call, SECOND_ARGUMENT: second}.get(operand, first)
            continue
        holds = {
            JUMP_EQUAL: value == operand,
            JUMP_AT_LEAST: value >= operand,
            JUMP_SET: bool(value & operand),
        }[code]
        place += yes if holds else no


@pytest.mark.parametrize("machine", MACHINES)
def test_every_listed_call_is_refused_and_others_are_not(machine):
    special = {CLONE[machine], TGKILL[machine], CLONE3, *CALLS[machine].values()}

    assert all(decide(machine, call) == REFUSED for call in CALLS[machine].values())
    assert all(decide(machine, call) == ALLOW for call in range(460) if call not in special)
    assert len(rules(machine, PID)) < 4096  # the kernel's limit


@pytest.mark.parametrize("machine", MACHINES)
def test_threads_are_allowed_and_processes_are_not(machine):
    assert decide(machine, CLONE[machine], 0x003D0F00) == ALLOW  # as glibc makes a thread
    assert decide(machine, CLONE[machine], 0x01200011) == REFUSED  # as it forks
    assert decide(machine, CLONE3) == FAIL | errno.ENOSYS


@pytest.mark.parametrize("machine", MACHINES)
def test_a_process_may_signal_itself_alone(machine):
    assert decide(machine, TGKILL[machine], PID) == ALLOW
    assert decide(machine, TGKILL[machine], PID + 1) == REFUSED


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_of_another_architecture_are_refused(machine):
    assert decide(machine, 1, arch=0x40000003) == REFUSED
    assert decide(machine, 0x40000000 + 41) == REFUSED


@pytest.mark.parametrize("machine", MACHINES)
def test_a_process_may_limit_itself_alone(machine):
    assert decide(machine, PRLIMIT64[machine], 0) == ALLOW
    assert decide(machine, PRLIMIT64[machine], PID + 1) == REFUSED


@pytest.mark.parametrize("machine", MACHINES)
def test_signals_of_a_file_go_to_nobody_else(machine):
    refused = [
        command
        for command in range(1100)
        if decide(machine, FCNTL[machine], 3, second=command) == REFUSED
    ]

    assert refused == [F_SETOWN, F_SETOWN_EX]
