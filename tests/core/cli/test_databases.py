"""The commands on databases: what a person types, and the one line that says what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import zarr

from tests.command import Run
from tests.servers.processes import free_port
from tests.servers.redis import RedisServer, redis_server


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with redis_server(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture(params=["sqlite", "lmdb", "redis"])
def place(request: pytest.FixtureRequest, redis: RedisServer, tmp_path: Path) -> str:
    if request.param == "redis":
        return f"{redis.url}?prefix={tmp_path.name}"
    return f"{request.param}://{tmp_path}/new/x"


def test_a_database_is_copied_into_shown_and_copied_from(zarrscope: Run, place: str, tmp_path: Path) -> None:
    root = zarr.create_group(tmp_path / "h.zarr")
    root.create_array("a/x", data=np.arange(24, dtype="i4").reshape(4, 6), chunks=(2, 3))
    assert zarrscope("copy", tmp_path / "h.zarr", place).status == 0
    assert "x  4 × 6  int32" in zarrscope("tree", place).text
    shown = zarrscope("info", place, "a/x", "--storage").text
    assert "4 of 4" in shown
    assert f"{place}#/a/x" in shown
    listed = zarrscope("ls", place, "a/x/c/1", "--long").text.splitlines()
    assert sorted(line.split()[-1] for line in listed) == ["a/x/c/1/0", "a/x/c/1/1"]
    assert zarrscope("cat", f"{place}#/a/x", "--select", "3", "--as", "raw").stdout == bytes(
        np.arange(18, 24, dtype="i4")
    )
    assert zarrscope("check", place).text.startswith("nothing wrong")
    assert zarrscope("copy", place, tmp_path / "back.zarr", "--to", "v2").status == 0
    assert zarr.open_group(tmp_path / "back.zarr", mode="r")["a/x"][...].sum() == 276


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("sqlite:///nowhere/x", "zarrscope: there is no file /nowhere/x\n"),
        ("lmdb:///nowhere/x", "zarrscope: there is no LMDB database at /nowhere/x\n"),
        pytest.param(
            f"redis://127.0.0.1:{(port := free_port())}",
            f"zarrscope: zarr.json in redis://127.0.0.1:{port}/0?prefix=zarr: the server refuses the connection\n",
            id="redis",
        ),
    ],
)
def test_errors_are_one_line(zarrscope: Run, source: str, said: str) -> None:
    done = zarrscope("tree", source, "--retries", "0")
    assert (done.status, done.stderr) == (1, said)
