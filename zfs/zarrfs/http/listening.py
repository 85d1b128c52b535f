"""The socket of the server, and whom it can be reached by."""

from __future__ import annotations

import errno
import os
import socket
from typing import Final

from zarrcore.errors import ZarrError
from zarrfs.http.access import is_loopback
from zarrfs.http.options import ServeOptions

BACKLOG: Final = 1024
"""Connections that wait to be accepted."""
_UNSENT_MAX: Final = 256 << 10
"""Bytes that the system takes of an answer before they can be sent; by default megabytes, for each client that does not read."""


class ListenError(ZarrError, OSError):
    """The server cannot listen; the message says why."""


def check_exposure(options: ServeOptions) -> None:
    """Refuse to show a source to a network by accident.

    Raises:
        ListenError: other machines could read it without a token, and the options do not allow that.
    """
    if options.token is None and not options.allow_everyone and not is_loopback(options.host):
        raise ListenError(
            f"other machines can reach {options.host}: choose a --token (auto makes one), or give --allow-everyone"
        )


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 chooses a free one.

    Raises:
        ListenError: the port is taken, or the host is not an address of this machine.
    """
    try:
        # With the protocol, asyncio recognizes connections as TCP, and sends headers without waiting for more (TCP_NODELAY).
        found = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP, flags=socket.AI_PASSIVE
        )
        family, kind, protocol, _, address = found[0]
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        raise ListenError(f"cannot listen on {host} port {port}: {_reason(error, port)}") from error
    try:
        if os.name == "posix":  # elsewhere, this lets two programs listen on one port
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
        if hasattr(socket, "TCP_NOTSENT_LOWAT"):  # accepted connections inherit it
            listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT_MAX)
    except OSError as error:
        listening.close()
        raise ListenError(f"cannot listen on {host} port {port}: {_reason(error, port)}") from error
    return listening


def _reason(error: OSError, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return "another program uses the port; choose another with --port, or 0 for any free one"
    if error.errno == errno.EACCES:
        return f"only root may use ports below 1024, such as {port}"
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return "it is not an address of this machine"
    return (error.strerror or "the system refuses").lower()


def origin_of(listening: socket.socket, host: str) -> str:
    """Scheme, host and port for a client on this machine."""
    address, port = listening.getsockname()[:2]
    name = "localhost" if address in {"0.0.0.0", "::"} else host  # noqa: S104 - compared, not bound
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"
