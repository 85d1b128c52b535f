"""Signals: the server refreshes at SIGHUP, and ends in an orderly way."""

from __future__ import annotations

import asyncio
import signal
from typing import Any

import pytest

from zarrfs.http.server import Server


async def nothing(scope: Any, receive: Any, send: Any) -> None:
    raise AssertionError("no request is expected")


@pytest.fixture
def refreshed() -> list[str]:
    return []


@pytest.fixture
def server(refreshed: list[str]) -> Server:
    return Server(nothing, lambda: refreshed.append("now"))


def test_a_hang_up_refreshes_at_the_next_tick(server: Server, refreshed: list[str]) -> None:
    with server.capture_signals():
        signal.raise_signal(signal.SIGHUP)
    assert refreshed == [], "not within the handler"
    asyncio.run(server.on_tick(1))
    asyncio.run(server.on_tick(2))
    assert refreshed == ["now"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_and_is_not_raised_again(server: Server, number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with server.capture_signals():
        signal.raise_signal(number)
        assert server.should_exit
    assert signal.getsignal(number) is before
