"""A proxy with latency: each request reaches the server after a delay."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit


@contextlib.contextmanager
def distant(url: str, delay_s: float) -> Iterator[str]:
    """The address of a proxy to ``url`` with a delay of ``delay_s``."""
    host, port = urlsplit(url).hostname or "", urlsplit(url).port or 80
    started, address, stop = threading.Event(), [""], list[Callable[[], object]]()
    writers: set[asyncio.StreamWriter] = set()

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, wait_s: float) -> None:
        writers.add(writer)
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                await asyncio.sleep(wait_s)
                writer.write(data)
                await writer.drain()
        writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        back, there = await asyncio.open_connection(host, port)
        await asyncio.gather(forward(reader, there, delay_s), forward(back, writer, 0.0))

    async def run() -> None:
        loop, stopped = asyncio.get_running_loop(), asyncio.Event()
        stop.append(lambda: loop.call_soon_threadsafe(stopped.set))
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        address[0] = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        started.set()
        await stopped.wait()
        server.close()
        for writer in writers:
            writer.transport.abort()
        await asyncio.sleep(0.05)  # until they have

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    started.wait()
    try:
        yield address[0]
    finally:
        stop[0]()
        thread.join()
