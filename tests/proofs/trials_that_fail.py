"""Trials that succeed, raise, hang, crash and grow, by their seed: for the tests of the runner."""

from __future__ import annotations

import os
import time

KINDS = ("done", "ValueError", "hang", "crash", "memory", "SystemExit")


def trial(seed: int, seconds: str = "10") -> int:
    """Do what the seed says."""
    match KINDS[seed % len(KINDS)]:
        case "ValueError":
            raise ValueError("a finding")
        case "hang":
            time.sleep(60)
        case "crash":
            os.abort()
        case "memory":
            bytearray(500 << 20)
        case "SystemExit":
            raise SystemExit(3)
    print("noise on the standard output")
    return int(seconds)
