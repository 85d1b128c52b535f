"""Worker threads: calls that wait, and clients that do not."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from zarrfs.http.workers import Client, ClientGoneError, Workers
from zarrfs.trees.errors import WouldBlockError


async def _nothing() -> Any:
    await asyncio.Event().wait()


async def _gone() -> Any:
    await asyncio.sleep(0.01)
    return {"type": "http.disconnect"}


def test_a_call_runs_here_if_it_need_not_wait_and_in_a_thread_otherwise() -> None:
    def call(wait: bool) -> tuple[bool, str]:
        if not wait and is_slow:
            raise WouldBlockError
        return wait, threading.current_thread().name

    async def ask() -> tuple[bool, str]:
        workers, client = Workers(1), Client(_nothing)
        try:
            return await workers.ask(client, call)
        finally:
            client.release()
            workers.stop(1)

    is_slow = False
    assert asyncio.run(ask()) == (False, threading.current_thread().name)
    is_slow = True
    wait, thread = asyncio.run(ask())
    assert wait
    assert thread.startswith("zarrfs-http")


def test_a_call_that_has_not_begun_is_never_made_for_a_client_that_has_gone() -> None:
    hanging, made = threading.Event(), []

    async def ask() -> bool:
        workers = Workers(1)
        patient, hasty = Client(_nothing), Client(_gone)
        first = asyncio.ensure_future(workers.run(patient, hanging.wait))
        await asyncio.sleep(0)
        with pytest.raises(ClientGoneError):
            await workers.run(hasty, lambda: made.append(1))
        assert not workers.stop(0)  # one call hangs
        hanging.set()
        assert await first
        patient.release()
        return workers.stop(5)

    assert asyncio.run(ask())
    assert made == []


def test_an_error_of_a_call_is_raised() -> None:
    async def ask() -> None:
        workers, client = Workers(1), Client(_nothing)
        try:
            await workers.run(client, lambda: 1 // 0)
        finally:
            client.release()
            workers.stop(1)

    with pytest.raises(ZeroDivisionError):
        asyncio.run(ask())
