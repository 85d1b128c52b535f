"""The process from which those that are killed are forked: it has loaded all that they need, and has no threads.

    LD_PRELOAD=killer.so python -m tests.proofs.kills.stage

It reads orders, one in a line, and answers each with what the child told before it ended.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

SCENARIOS = ("stores", "caches", "copies", "daemons")


def main() -> None:
    """Carry out each order on standard input, until it ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for name in SCENARIOS:
        importlib.import_module(f"tests.proofs.kills.{name}")
    importlib.import_module("zarrfs.mount.mount")
    for line in sys.stdin:
        order: dict[str, Any] = json.loads(line)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:  # those that were not waited for
                pass
        reading, writing = os.pipe()
        with tempfile.TemporaryFile() as errors:
            child = os.fork()
            if not child:
                os.close(reading)
                os.dup2(errors.fileno(), 2)
                _act(order, writing)
            os.close(writing)
            if order["waits"]:
                with os.fdopen(reading) as told:
                    lines = told.read().splitlines()
                _, status = os.waitpid(child, 0)
                errors.seek(0)
                said = errors.read().decode(errors="replace")
                _answer(answers, told=lines, status=os.waitstatus_to_exitcode(status), errors=said)
            else:
                os.close(reading)
                _answer(answers, child=child)


def _answer(answers: Any, **members: object) -> None:
    answers.write(json.dumps(members) + "\n")
    answers.flush()


def _act(order: dict[str, Any], writing: int) -> None:
    """In the child: do what the order says."""
    library = ctypes.CDLL(None)
    status = 1
    try:
        work: Callable[..., None] = importlib.import_module(f"tests.proofs.kills.{order['scenario']}").work
        os.chdir(order["root"])
        library.killer_arm(order["root"].encode(), order["at"], order["middle"])
        work(Path(order["root"]), order["variant"], lambda text: os.write(writing, f"{text}\n".encode()))
        calls = library.killer_count()
        if order["waits"]:
            os.write(writing, f"calls {calls}\n".encode())
        else:
            Path(order["root"] + ".calls").write_text(str(calls))
        status = 0
    except BaseException:  # noqa: BLE001  # nothing of the parent's may run in the child
        traceback.print_exc()
    finally:
        os._exit(status)


if __name__ == "__main__":
    main()
