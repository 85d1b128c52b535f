"""Going to the background without losing the answer: the command returns when the mount answers, or says why not.

The fork comes first, before anything starts threads or opens connections: libraries that did would not work in the
child. The child tells the parent through a pipe how mounting went, and only then lets go of the terminal.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Callable

from zarrcore.errors import ZarrError
from zarrfs.mount.mountpoints import MountError

_READY = b"+"
_FAILED = b"-"


def run_in_background(serve: Callable[[Callable[[], None]], None]) -> None:
    """Return in the parent once ``serve``, running in a child, has called what it is given.

    Args:
        serve: does the work; calls its argument when the mount answers.

    Raises:
        MountError: what went wrong before that, as the child said it.
    """
    answer, report = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.close(answer)
            status = _child(serve, report)
        finally:
            os._exit(status)
    os.close(report)
    try:
        with os.fdopen(answer, "rb") as pipe:
            told = pipe.read()
    except BaseException:
        # Ctrl-C: whoever gives up waiting wants no mount later on.
        _end(child)
        raise
    if not told.startswith(_READY):
        os.waitpid(child, 0)
        raise MountError(told[1:].decode("utf-8", "replace") or "the daemon died before it had mounted")


def tell_supervisor() -> None:
    """Tell systemd that the mount answers, where it started this process and wants to know: see sd_notify(3)."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if address:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
            # A name that begins with @ is in no directory.
            told.sendto(b"READY=1", "\0" + address[1:] if address.startswith("@") else address)


def _child(serve: Callable[[Callable[[], None]], None], report: int) -> int:
    """Be the daemon; the exit status."""
    os.setsid()
    pending = [report]

    def tell(message: bytes) -> None:
        if pending:
            os.write(pending[0], message)
            os.close(pending.pop())

    def ready() -> None:
        _leave_terminal()
        tell(_READY)

    try:
        serve(ready)
    except ZarrError as error:
        tell(_FAILED + str(error).encode("utf-8", "backslashreplace"))
        return 1
    except BaseException as error:  # noqa: BLE001 - the last one who can tell the user
        tell(_FAILED + f"{type(error).__name__}: {error}".encode("utf-8", "backslashreplace"))
        return 1
    return 0


def _end(child: int) -> None:
    """End the child, which cleans up after itself, and wait for it."""
    os.kill(child, signal.SIGTERM)
    os.waitpid(child, 0)


def _leave_terminal() -> None:
    """Nobody waits for what a daemon prints, and nobody's directory is held by it."""
    os.chdir("/")
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)
