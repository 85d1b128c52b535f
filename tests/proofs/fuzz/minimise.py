"""Choose the inputs that the tests replay: few and short, but together they run every transition between lines of the product.

packaging/prove --keep fuzz-NAME
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from types import CodeType, FrameType
from typing import Any

from tests.proofs.fuzz.campaign import PLACE
from tests.proofs.fuzz.corpus import MAX_INPUTS, MAX_NBYTES, keep_inputs, kept_findings, kept_inputs
from tests.proofs.fuzz.one_thread import in_one_thread
from tests.proofs.fuzz.target import load_target
from tests.proofs.trials import ROOT

Transition = tuple[CodeType, int, int]

_PRODUCT = tuple(str(ROOT / folder) for folder in ("core/zarrcore", "zfs/zarrfs", "browser/zarrbrowser"))
_MAX_TRACED = 20_000
_TIMED = 200
_REPLAY_S = 0.3
"""Processor time for the kept inputs of a target: the tests replay those of all."""
_LEAST = 20
_FINDINGS_MAX = 12


def keep(name: str) -> str:
    """Replace the kept inputs of a target by a choice from them and those of the fuzzer; returns what was done."""
    target = load_target(name)
    folder = PLACE / name
    found = [path.read_bytes() for path in sorted(folder.iterdir())] if folder.exists() else []
    inputs = sorted({*target.examples(), *kept_inputs(name), *found}, key=lambda data: (len(data), data))
    inputs = [data for data in inputs if len(data) <= MAX_NBYTES][:_MAX_TRACED]
    findings = {*kept_findings(name), *_mended_findings(name, target.check)}
    count = min(MAX_INPUTS - len(findings), _inputs_within(target.check, inputs, _REPLAY_S))
    chosen = chosen_inputs(target.check, inputs, count)
    keep_inputs(name, chosen, findings)
    return f"fuzz-{name}: kept {len(chosen)} of {len(inputs)} inputs, and {len(findings)} of findings"


def _mended_findings(name: str, check: Callable[[bytes], None]) -> list[bytes]:
    """The shortest inputs of findings that no longer are any."""
    folder = PLACE.parent / "findings"
    inputs = sorted((path.read_bytes() for path in folder.glob(f"{name}-{'?' * 12}")), key=len)
    mended = []
    for data in inputs[:_FINDINGS_MAX]:
        with suppress(Exception):
            check(data)
            mended.append(data)
    return mended


def _inputs_within(check: Callable[[bytes], None], inputs: Sequence[bytes], seconds: float) -> int:
    """How many of the inputs a replay can check in that time."""
    some = inputs[:: max(1, len(inputs) // _TIMED)]
    began_s = time.process_time()
    for data in some:
        with suppress(Exception):
            check(data)
    return max(_LEAST, int(seconds * len(some) / max(time.process_time() - began_s, 1e-9)))


def chosen_inputs(check: Callable[[bytes], None], inputs: Iterable[bytes], count: int) -> list[bytes]:
    """The inputs that run something that none before them runs; if they are too many, those that add most."""
    everything: set[Transition] = set()
    chosen: list[tuple[int, int, bytes]] = []
    for position, data in enumerate(inputs):
        new = transitions(check, data) - everything
        if new:
            everything |= new
            chosen.append((-len(new), position, data))
    return [data for _, _, data in sorted(chosen)[:count]]


def transitions(check: Callable[[bytes], None], data: bytes) -> set[Transition]:
    """The pairs of lines of the product that a check runs one after the other."""
    found: set[Transition] = set()

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(_PRODUCT):
            return None
        last = 0

        def line(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal last
            found.add((frame.f_code, last, frame.f_lineno))
            last = frame.f_lineno
            return line

        return line

    # Threads of a pool that an earlier check has started are not traced.
    with in_one_thread():
        sys.settrace(trace)
        try:
            with suppress(Exception):  # a finding, which the tests tell
                check(data)
        finally:
            sys.settrace(None)
    return set(found)
