"""The event loop that all threads share."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.core.stores.icechunk.repositories import write
from zarrcore.stores.icechunk.event_loop import _EventLoop, run


async def _thread(value: int) -> tuple[str, int]:
    await asyncio.sleep(0)
    return threading.current_thread().name, value


async def _fail() -> None:
    raise ValueError("no")


def test_coroutines_of_all_threads_run_in_one() -> None:
    with ThreadPoolExecutor(8) as threads:
        found = [*threads.map(lambda value: run(_thread(value)), range(100))]
    assert found == [("zarrcore-icechunk", value) for value in range(100)]
    with pytest.raises(ValueError, match="no"):
        run(_fail())


def test_it_starts_again_after_it_was_stopped() -> None:
    loop = _EventLoop()
    loop.stop()
    for value in range(2):
        assert loop.run(_thread(value))[1] == value
        loop.stop()


def test_a_process_that_ends_after_a_listing_does_not_crash(tmp_path: Path) -> None:
    write(tmp_path / "repo")
    program = f"import zarrcore\nstore = zarrcore.open_hierarchy({str(tmp_path / 'repo')!r}).store\nnext(store.list())\n"
    for _ in range(3):
        assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
