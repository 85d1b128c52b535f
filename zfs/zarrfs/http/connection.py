"""A connection of a client: how long it may take, and how many one address may open.

uvicorn closes a connection that is silent between two requests. It would wait without end for a first request, for the rest
of one, and for a client that does not take its answer.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections import Counter
from dataclasses import dataclass
from typing import ClassVar, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

_TAKEN_MIN: Final = 64 << 10


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of all connections."""

    request_s: float = 30.0
    """How long a connection may be open before a request is complete, with its body; also between two requests."""
    answer_s: float = 60.0
    """How long a client may take for 64 KiB of an answer."""
    connections: int = 768
    """Open connections. By default, a process may have 1,024 open files."""
    of_one_address: int = 576
    """Open connections of one address. All clients of a proxy have the same address, so these are most of them."""


class Connection(H11Protocol):
    """A connection with deadlines. `check` must be called several times a second."""

    limits: ClassVar[Limits] = Limits()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """The client has connected."""
        super().connection_made(transport)
        self._waits_since = self._took_at = self.loop.time()
        self._left = 0
        self._address = neighbourhood(self.client[0]) if self.client else ""
        self._make_room()

    @property
    def _is_waiting(self) -> bool:
        """Whether it waits for a request, or for the rest of one."""
        cycle = self.cycle
        return cycle is None or cycle.response_complete or (cycle.more_body and not cycle.response_started)

    def _make_room(self) -> None:
        """If there are too many, end the connection that has waited longest for a request; this one if none waits."""
        everyone = {each for each in self.connections if isinstance(each, Connection)}
        counts = Counter(each._address for each in everyone)  # noqa: SLF001 - of this class
        if counts[self._address] > self.limits.of_one_address:
            crowded = self._address
        elif len(everyone) > self.limits.connections:
            crowded = counts.most_common(1)[0][0]
        else:
            return
        waiting = [each for each in everyone - {self} if each._address == crowded and each._is_waiting]  # noqa: SLF001
        last = min(waiting, key=lambda each: each._waits_since, default=self)  # noqa: SLF001
        self.connections.discard(last)
        last.transport.abort()

    def on_response_complete(self) -> None:
        """An answer is complete, and the next request may come."""
        self._waits_since = self.loop.time()
        super().on_response_complete()

    def resume_writing(self) -> None:
        """The client has taken what was sent."""
        self._left = 0
        super().resume_writing()

    def check(self) -> None:
        """End the connection if the client is too slow."""
        now = self.loop.time()
        if self._is_waiting and now - self._waits_since > self.limits.request_s:
            self.transport.close()
        left = self.transport.get_write_buffer_size()
        if left == 0 or not self._left - _TAKEN_MIN < left <= self._left:
            self._left, self._took_at = left, now
        elif now - self._took_at > self.limits.answer_s:
            self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP. After an answer has begun, there is no way to say so."""
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            super().send_400_response(msg)
        else:
            self.transport.close()


def neighbourhood(host: str) -> str:
    """The part of an address that one user has: a network of 64 bits in IPv6, where each user has 2⁶⁴ addresses.

    >>> neighbourhood("192.0.2.1"), neighbourhood("::ffff:192.0.2.1"), neighbourhood("2001:db8::1")
    ('192.0.2.1', '192.0.2.1', '2001:db8::/64')
    """
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    mapped = address.ipv4_mapped
    return str(mapped or ipaddress.ip_network((int(address) >> 64 << 64, 64)))
