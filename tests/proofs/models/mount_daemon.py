"""The daemon of a mount whose clock another process moves, and whose memory store that process reaches.

    python -m tests.proofs.models.mount_daemon SOCKET [--clock] mount SOURCE MOUNTPOINT --foreground […]

With ``--clock``, the kernel keeps no answers, since its clock cannot be moved; all other caches follow the clock.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from multiprocessing.connection import Connection, Listener
from typing import Any

MEMORY = "model"
"""The name of the memory store."""


class Clock:
    """The monotonic clock, moved forward."""

    def __init__(self) -> None:
        self._real = time.monotonic
        self._ahead_s = 0.0

    def now(self) -> float:
        return self._real() + self._ahead_s

    def advance(self, seconds: float) -> None:
        self._ahead_s += seconds


def answer(connection: Connection, clock: Clock) -> None:
    """Do what the other process asks for. Unmount when it ends, also if it was killed."""
    from zarrcore.stores import MemoryStore

    store: Any = MemoryStore(MEMORY)
    while True:
        try:
            method, arguments = connection.recv()
        except (EOFError, OSError):
            os.kill(os.getpid(), signal.SIGTERM)
            return
        try:
            if method == "advance":
                clock.advance(*arguments)
                connection.send(None)
                continue
            found = getattr(store, method)(*arguments)
            found = bytes(found) if isinstance(found, memoryview) else found
            connection.send(list(found) if method.startswith("list") else found)
        except Exception as error:  # noqa: BLE001 - the other process raises it
            connection.send(error)


def main(arguments: list[str]) -> int:
    """Run the command, and answer at the socket meanwhile."""
    clock = Clock()
    place, *words = arguments
    if words[0] == "--clock":
        del words[0]
        time.monotonic = clock.now  # before anything of zarrscope takes it as a default
        from zarrfs.trees.freshness import Freshness

        Freshness.left_s = lambda *_: 0.0  # type: ignore[assignment, method-assign]  # the kernel has a clock of its own
    listener = Listener(place, "AF_UNIX")

    def listen() -> None:
        while True:
            connection = listener.accept()
            threading.Thread(target=answer, args=(connection, clock), daemon=True).start()

    threading.Thread(target=listen, daemon=True).start()
    from zarrcore.cli.main import main as command

    return command(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
