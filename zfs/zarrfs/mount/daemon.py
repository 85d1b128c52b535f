"""Running in the background: the command returns when the mount answers, or reports why it failed.

The fork comes before anything starts threads or opens connections, since these would not work in the
child. The child reports the result through a pipe to the parent, and only then detaches from the terminal.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Callable
from typing import NoReturn

from zarrcore.errors import ZarrError
from zarrfs.mount.mountpoints import MountError

_READY = b"+"
_FAILED = b"-"


def run_in_background(serve: Callable[[Callable[[], None]], None]) -> None:
    """Run ``serve`` in a child, and return in the parent when ``serve`` has called its argument.

    Args:
        serve: does the work; calls its argument when the mount answers.

    Raises:
        MountError: the child failed before that; the message gives its error.
    """
    answer, report = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    # An early Ctrl-C waits until the parent can end the child: the child may run before fork returns here.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            os.close(answer)
            status = _child(serve, report)
        finally:
            os._exit(status)
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.close(report)
        with os.fdopen(answer, "rb") as pipe:
            told = pipe.read()
    except BaseException:
        # Ctrl-C: a user who stops waiting does not want the mount.
        _end(child)
        raise
    if not told.startswith(_READY):
        os.waitpid(child, 0)
        raise MountError(told[1:].decode("utf-8", "replace") or "the daemon died before it mounted")


def run_in_foreground(serve: Callable[[Callable[[], None]], None]) -> NoReturn:
    """Run ``serve``, and end the process.

    Raises:
        ZarrError: ``serve`` failed.
    """
    serve(report_to_supervisor)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # Python would wait for threads whose store does not answer


def report_to_supervisor() -> None:
    """Notify systemd that the mount answers, if systemd requested that: see sd_notify(3)."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if address:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
            # A name that begins with @ is in the abstract namespace, not in a directory.
            told.sendto(b"READY=1", "\0" + address[1:] if address.startswith("@") else address)


def _child(serve: Callable[[Callable[[], None]], None], report: int) -> int:
    """Run the daemon; returns the exit status."""
    os.setsid()
    pending = [report]

    def send(message: bytes) -> None:
        if pending:
            os.write(pending[0], message)
            os.close(pending.pop())

    def ready() -> None:
        _leave_terminal()
        send(_READY)

    try:
        serve(ready)
    except ZarrError as error:
        send(_FAILED + str(error).encode("utf-8", "backslashreplace"))
        return 1
    except BaseException as error:  # noqa: BLE001 - the last one who can inform the user
        send(_FAILED + f"{type(error).__name__}: {error}".encode("utf-8", "backslashreplace"))
        return 1
    return 0


def _end(child: int) -> None:
    """End the child, which cleans up after itself, and wait for it."""
    os.kill(child, signal.SIGTERM)
    os.waitpid(child, 0)


def _leave_terminal() -> None:
    """Detach from the standard streams and from the working directory."""
    os.chdir("/")
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    os.close(null)
