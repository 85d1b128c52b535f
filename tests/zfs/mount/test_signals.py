"""Signals that are recorded."""

from __future__ import annotations

import os
import signal

from zarrfs.mount.signals import recorded_signals


def test_signals_are_recorded_and_the_handlers_come_back() -> None:
    before = signal.getsignal(signal.SIGUSR1)
    with recorded_signals([signal.SIGUSR1]) as arrived:
        assert arrived == set()
        os.kill(os.getpid(), signal.SIGUSR1)
        assert arrived == {signal.SIGUSR1}
    assert signal.getsignal(signal.SIGUSR1) is before
