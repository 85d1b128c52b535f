"""The server at a distance: its line, and its answers in waves."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from tests.servers.distant import Distance, Line, distant_server
from zarrcore.stores import ByteRange, open_store
from zarrcore.stores.wrapper.interface import writable

VALUE = np.random.default_rng(0).bytes(300_000)


def test_connections_share_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = [5.0]
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    line = Line(100.0)
    assert [line.time_s(50), line.time_s(100)] == [0.5, 1.5]
    now_s[0] = 6.0
    assert line.time_s(50) == 1.0, "after what it still carries"
    now_s[0] = 60.0
    assert line.time_s(50) == 0.5
    assert Line().time_s(1 << 40) == 0, "no limit"


def test_a_distance_describes_itself() -> None:
    assert str(Distance()) == "50 ms"
    assert str(Distance(0.2, 12.5 * 2**20)) == "200 ms and 12.5 MiB/s"


def test_values_arrive_whole_over_a_slow_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bucket").mkdir()
    asked: list[int] = []
    time_s = Line.time_s

    def noted(line: Line, nbytes: int) -> float:
        asked.append(nbytes)
        return time_s(line, nbytes)

    monkeypatch.setattr(Line, "time_s", noted)
    with distant_server(tmp_path, bytes_per_s=50e6) as server:
        store = open_store("s3://bucket", **server.s3_options)  # type: ignore[arg-type]
        writable(store).set("x", VALUE)
        assert store.get("x") == VALUE
        assert store.get("x", ByteRange(1, 200_000)) == VALUE[1:200_000]
        assert server.sent == sum(asked) - len(VALUE) == len(VALUE) + 199_999, "nothing bypasses the line"


@pytest.mark.parametrize("in_waves", [False, True])
def test_answers_come_in_waves(tmp_path: Path, in_waves: bool) -> None:
    """None of these requests waits for another, but the last ones arrive when the first ones would have been answered."""
    (tmp_path / "bucket").mkdir()
    with distant_server(tmp_path) as server, ThreadPoolExecutor(6) as threads:
        store = open_store("s3://bucket", **server.s3_options)  # type: ignore[arg-type]
        store.get("first")
        server.forget()
        server.delay_s, server.in_waves = 0.5, in_waves
        for number in range(6):
            threads.submit(store.get, f"{number}")
            time.sleep(0.12)
        threads.shutdown()
        assert (server.round_trips == 1) is in_waves
