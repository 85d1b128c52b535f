"""How a server of asyncio closes."""

from __future__ import annotations

import asyncio


async def close(server: asyncio.Server) -> None:
    """Accept no more connections; those accepted already get their transports.

    A server that closes between accepting a connection and making its transport would leave the socket open.
    """
    loop = asyncio.get_running_loop()
    for listener in server.sockets:
        loop.remove_reader(listener)
    for _ in range(3):  # the accepted connection, its task, its transport
        await asyncio.sleep(0)
    server.close()
