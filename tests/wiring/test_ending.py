"""A process that is told to end does so, whatever it is doing."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

PROCESS = """
import os, signal, threading
from fathom.wiring.ending import end, told_to_end

within = {{signal.SIGTERM: 0.05}}
with told_to_end(lambda _: os.write(1, b"heard\\n"), last=lambda number: end(40 + number), within=within):
    os.write(1, b"ready\\n")  # not by a buffer, which a signal may find at work
    {stuck}
"""
COMPUTES = "while True: pass"
WAITS = "threading.Event().wait()"
LEAVES_A_THREAD = "threading.Thread(target=threading.Event().wait).start(); signal.sigtimedwait([], 0.3)"


def told(stuck: str, *numbers: signal.Signals) -> tuple[int, str]:
    """The exit code, and what a process has said, that hears the signals one after the other."""
    process = subprocess.Popen([sys.executable, "-c", PROCESS.format(stuck=stuck)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    said = ""
    for number in numbers:
        said += process.stdout.readline()
        process.send_signal(number)
    said += process.communicate(timeout=60)[0]
    return process.returncode, said


@pytest.mark.parametrize("stuck", [COMPUTES, WAITS, LEAVES_A_THREAD])
def test_one_sigterm_ends_a_process_in_time_whatever_it_is_doing(stuck: str) -> None:
    assert told(stuck, signal.SIGTERM) == (40 + signal.SIGTERM, "ready\nheard\n")


def test_a_second_signal_ends_it_at_once_and_a_first_ctrl_c_waits() -> None:
    assert told(COMPUTES, signal.SIGINT, signal.SIGINT) == (40 + signal.SIGINT, "ready\nheard\n")
