"""The engine reads what Python reads, and fails as Python fails."""

from __future__ import annotations

import os
import re
import shutil
import threading
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.core.array.native.chains import CHAINS, DTYPES, SHAPE, ZSTD, values_of
from zarrcore.array.reader import ChunkReader
from zarrcore.codecs.array_to_bytes.sharding_indexed import ShardingIndexedCodec
from zarrcore.errors import ChunkNotFoundError, ReadCancelledError, StoreNotFoundError, ZarrError
from zarrcore.native import Job, engine

pytestmark = pytest.mark.skipif(engine() is None, reason="the engine is not built")


def created(path: Path, **options: Any) -> Any:
    """An array ``a`` in a new hierarchy."""
    return zarrcore.create(path).create_array("a", **options)


class Written:
    """Arrays with all chains, with and without shards; a chunk of each is missing."""

    def __init__(self, root: Path) -> None:
        self.root, self._copies = root, count()
        hierarchy = zarrcore.create(root)
        self.names: list[str] = []
        for number, codecs in enumerate(CHAINS):
            for is_sharded in (False, True):
                dtype = DTYPES[number % len(DTYPES)]
                name = f"{number}{'s' * is_sharded}"
                array = hierarchy.create_array(
                    name,
                    shape=SHAPE,
                    dtype=dtype,
                    chunks=(8, 16, 16),
                    shards=(16, 32, 32) if is_sharded else None,
                    codecs=codecs,
                )
                array[...] = values_of(dtype)
                self.names.append(name)
                if not is_sharded:
                    (root / name / "c/1/1/1").unlink()

    def copy(self, name: str) -> Path:
        """A copy of an array, to damage."""
        path = self.root.with_name(f"copy{next(self._copies)}")
        shutil.copytree(self.root / name, path)
        return path


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return Written(tmp_path_factory.mktemp("native") / "a.zarr")


def both(path: Path, selection: Any, monkeypatch: pytest.MonkeyPatch, node: str = "/") -> tuple[Any, Any]:
    """The elements or the error by the engine, and those by Python."""
    found: list[Any] = []
    for is_native in (True, False):
        with monkeypatch.context() as patch:
            if not is_native:
                patch.setattr("zarrcore.array.native.files.engine", lambda: None)
            try:
                array = zarrcore.open_hierarchy(path).array(node)
                is_of_points = isinstance(selection[0], np.ndarray)
                found.append(array.vindex[selection] if is_of_points else array[selection])
            except ZarrError as error:
                found.append(f"{type(error).__name__}: {error}")
    return found[0], found[1]


def bounds(length: int) -> st.SearchStrategy[Any]:
    bound = st.none() | st.integers(-length - 2, length + 2)
    return st.integers(-length, length - 1) | st.builds(
        slice, bound, bound, st.sampled_from([None, 1, 1, -1, 2, -3, 5, 17])
    )


POINTS = st.lists(st.tuples(*(st.integers(-length, length - 1) for length in SHAPE)), min_size=1).map(
    lambda points: tuple(np.transpose(points))
)
SELECTIONS = st.tuples(bounds(SHAPE[0]), bounds(SHAPE[1]), st.just(slice(None)) | bounds(SHAPE[2])) | POINTS


@settings(max_examples=400)
@given(selection=SELECTIONS, number=st.integers(0, 2 * len(CHAINS) - 1))
def test_the_engine_reads_what_python_reads(written: Written, selection: Any, number: int) -> None:
    name = written.names[number]
    with pytest.MonkeyPatch.context() as patch:
        native, python = both(written.root / name, selection, patch)
    assert isinstance(python, np.ndarray | np.generic)
    np.testing.assert_array_equal(native, python, strict=True)


@pytest.mark.parametrize("number", range(2 * len(CHAINS)))
def test_every_chain_goes_through_the_engine(
    written: Written, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = written.names[number]
    array = zarrcore.open_array(written.root / name)
    expected = values_of(array.dtype.str)
    if not name.endswith("s"):
        expected[8:16, 16:32, 16:32] = 0

    def refuse(*_: Any) -> None:
        pytest.fail("Python read a chunk")

    monkeypatch.setattr(ChunkReader, "_decode", refuse)
    np.testing.assert_array_equal(array[...], expected, strict=True)
    if not name.endswith("s"):
        points = np.random.default_rng(number).integers(0, SHAPE, (50, 3)).T
        np.testing.assert_array_equal(array.vindex[*points], expected[*points], strict=True)
    assert np.array_equal(zarr.open_array(written.root / name, mode="r")[...], expected)


DAMAGE = st.one_of(
    st.tuples(st.just("cut"), st.floats(0, 1)),
    st.tuples(st.just("flip"), st.floats(0, 1)),
    st.tuples(st.just("longer"), st.floats(0, 1)),
    st.tuples(st.just("empty"), st.just(0.0)),
    st.tuples(st.just("folder"), st.just(0.0)),
    st.tuples(st.just("pipe"), st.just(0.0)),
    st.tuples(st.just("link out"), st.just(0.0)),
    st.tuples(st.just("link in"), st.just(0.0)),
    st.tuples(st.just("link to nowhere"), st.just(0.0)),
    st.tuples(st.just("folder is a link to nowhere"), st.just(0.0)),
    st.tuples(st.just("folder is a file"), st.just(0.0)),
    st.tuples(st.just("folder is missing"), st.just(0.0)),
    st.tuples(st.just("missing"), st.just(0.0)),
    st.tuples(st.just("denied"), st.just(0.0)),
)


def damage(path: Path, how: str, where: float) -> None:
    """Change one chunk of an array."""
    chunk = path / "c/0/0/0"
    content = bytearray(chunk.read_bytes())
    at = min(len(content) - 1, int(where * len(content)))
    if how == "cut":
        chunk.write_bytes(content[:at])
    elif how == "flip":
        content[at] ^= 0xFF
        chunk.write_bytes(content)
    elif how == "longer":
        chunk.write_bytes(content + bytes(1 + at))
    elif how == "denied":
        chunk.write_bytes(b"")
        chunk.chmod(0)
    elif how.startswith("folder is"):
        chunk.parent.rename(path / "moved")
        if how.endswith("file"):
            chunk.parent.touch()
        elif how.endswith("nowhere"):
            chunk.parent.symlink_to("nothing")
    else:
        chunk.rename(path / "moved")
        if how == "folder":
            chunk.mkdir()
        elif how == "pipe":
            os.mkfifo(chunk)
        elif how == "link out":
            shutil.copy(path / "moved", path.with_name(f"{path.name}-outside"))
            chunk.symlink_to(path.with_name(f"{path.name}-outside"))
        elif how == "link in":
            chunk.symlink_to(path / "moved")
        elif how == "link to nowhere":
            chunk.symlink_to("nothing")
        elif how != "missing":
            chunk.touch()


@settings(max_examples=400)
@given(selection=SELECTIONS, number=st.integers(0, 2 * len(CHAINS) - 1), damaged=DAMAGE)
def test_damage_is_found_by_the_engine_as_by_python(
    written: Written, selection: Any, number: int, damaged: tuple[str, float]
) -> None:
    path = written.copy(written.names[number])
    damage(path, *damaged)
    with pytest.MonkeyPatch.context() as patch:
        native, python = both(path, selection, patch)
    shutil.rmtree(path)
    if isinstance(python, str):
        # All chunks of a folder may be damaged. Which of them is read first is a matter of threads.
        assert re.sub("c/0/0/[0-9]", "c/0/0/…", str(native)) == re.sub("c/0/0/[0-9]", "c/0/0/…", python)
    else:
        np.testing.assert_array_equal(native, python)


@pytest.mark.parametrize("step", [2**63, -(2**70), 2**62])
def test_a_step_may_be_of_any_size(tmp_path: Path, step: int) -> None:
    created(tmp_path / "a.zarr", data=np.arange(100), chunks=(10,))
    assert zarrcore.open_array(tmp_path / "a.zarr/a")[::step].tolist() == [0 if step > 0 else 99]


@pytest.mark.parametrize("second", [-1, -(2**30), 0, 2**33])
def test_a_shard_may_be_of_any_age(tmp_path: Path, second: int) -> None:
    array = created(tmp_path / "a.zarr", data=np.arange(100), chunks=(10,), shards=(100,))
    os.utime(tmp_path / "a.zarr/a/c/0", (second, second))
    assert array[...].tolist() == [*range(100)]


@pytest.mark.parametrize("stored", [1, 200, 399])
def test_missing_inner_chunks_are_filled_without_reading_the_index_for_each(
    tmp_path: Path, stored: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    array = created(tmp_path / "a.zarr", shape=(4000,), dtype="f4", chunks=(10,), shards=(4000,))
    expected = np.zeros(4000, "f4")
    expected[-10 * stored :] = 1
    array[...] = expected
    parsed, times = ShardingIndexedCodec.parse_index, count()

    def counted(*arguments: Any) -> Any:
        next(times)
        return parsed(*arguments)

    monkeypatch.setattr(ShardingIndexedCodec, "parse_index", counted)
    assert np.array_equal(zarrcore.open_array(tmp_path / "a.zarr/a")[...], expected)
    assert next(times) <= 2


def test_inner_chunks_of_a_replaced_shard_are_read_again_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = np.arange(4000, dtype="f4")
    created(tmp_path / "a.zarr", data=values, chunks=(10,), shards=(4000,))
    run, parsed, times = Job.run, ShardingIndexedCodec.parse_index, count()

    def replaced(self: Job, first: int, stop: int) -> list[int]:
        os.utime(tmp_path / "a.zarr/a/c/0")
        return run(self, first, stop)

    def counted(*arguments: Any) -> Any:
        next(times)
        return parsed(*arguments)

    monkeypatch.setattr(Job, "run", replaced)
    monkeypatch.setattr(ShardingIndexedCodec, "parse_index", counted)
    assert np.array_equal(zarrcore.open_array(tmp_path / "a.zarr/a")[...], values)
    assert next(times) < 100


def test_a_read_can_be_cancelled_between_calls(tmp_path: Path) -> None:
    array = created(tmp_path / "a.zarr", data=np.ones((200, 200), "u1"), chunks=(4, 4))
    asked = count()
    with pytest.raises(ReadCancelledError):
        array.read(..., cancelled=lambda: next(asked) > 1)


def test_threads_of_a_read_may_end_and_begin(tmp_path: Path) -> None:
    values = np.arange(10_000).reshape(100, 100)
    array = created(tmp_path / "a.zarr", data=values, chunks=(7, 9), codecs=[ZSTD])
    found: list[np.ndarray] = []
    for _ in range(20):
        thread = threading.Thread(target=lambda: found.append(array[::-1, 3:]))
        thread.start()
        thread.join()
    assert all(np.array_equal(one, values[::-1, 3:]) for one in found)
    assert len(found) == 20


@pytest.mark.parametrize("is_damaged", [False, True])
def test_whole_chunks_are_decoded_without_their_elements(tmp_path: Path, is_damaged: bool) -> None:
    array = created(
        tmp_path / "a.zarr", data=np.arange(900).reshape(30, 30), chunks=(4, 4), codecs=["crc32c"]
    )
    indices = [(y, x) for y in range(8) for x in range(8)]
    if is_damaged:
        content = bytearray((tmp_path / "a.zarr/a/c/7/7").read_bytes())
        content[-9] ^= 1  # beyond the end of the array
        (tmp_path / "a.zarr/a/c/7/7").write_bytes(content)
    assert array.chunks_surely_decode(indices) != is_damaged
    assert array.chunks_surely_decode(indices[:-1])
    assert not array.chunks_surely_decode([(9, 9)])


SPARSE = {(0, 0): 3, (1, 2): 5}
"""Of some chunks, the elements."""


def sparse(path: Path, **options: Any) -> np.ndarray:
    """An array most of whose chunks or shards are missing, with fill value 7, and what it reads as."""
    array = created(path, shape=(40, 50), dtype="i2", chunks=(5, 5), fill_value=7, **options)
    expected = np.full((40, 50), 7, "i2")
    for (row, column), value in SPARSE.items():
        expected[row * 10 : row * 10 + 10, column * 10 : column * 10 + 10] = value
        array[row * 10 : row * 10 + 5, column * 10 : column * 10 + 10] = value
    for row, column in SPARSE:
        expected[row * 10 + 5 : row * 10 + 10, column * 10 : column * 10 + 10] = 7
    return expected


@pytest.mark.parametrize("shards", [None, (10, 10)])
@pytest.mark.parametrize("is_native", [True, False])
@pytest.mark.parametrize(
    "selection",
    [
        ...,
        (slice(None, None, -3), slice(1, None, 4)),
        (7, slice(None)),
        ([39, 0, 2, 13], slice(48, 3, -1)),
        (12, 24),
    ],
)
def test_most_chunks_may_be_missing(
    tmp_path: Path, shards: Any, is_native: bool, selection: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = sparse(tmp_path / "a.zarr", shards=shards)
    if not is_native:
        monkeypatch.setattr("zarrcore.array.native.files.engine", lambda: None)
    found = zarrcore.open_array(tmp_path / "a.zarr/a")[selection]
    np.testing.assert_array_equal(found, expected[selection])
    with zarrcore.open_hierarchy(tmp_path / "a.zarr", missing="error") as hierarchy:
        if 7 in np.atleast_1d(expected[selection]):
            with pytest.raises(ChunkNotFoundError):
                hierarchy.array("a")[selection]


def test_chunks_of_an_array_that_was_removed_are_no_fill_values(tmp_path: Path) -> None:
    sparse(tmp_path / "a.zarr")
    array = zarrcore.open_array(tmp_path / "a.zarr/a")
    assert array[39, 49] == 7
    shutil.rmtree(tmp_path / "a.zarr")
    with pytest.raises(StoreNotFoundError):
        array[39, :]
    with pytest.raises(StoreNotFoundError):
        array.vindex[[39, 38], [1, 2]]


def test_chunks_of_an_array_that_replaced_another_are_found(tmp_path: Path) -> None:
    sparse(tmp_path / "a.zarr")
    array = zarrcore.open_array(tmp_path / "a.zarr/a")
    assert array[39, 49] == 7
    (tmp_path / "a.zarr").rename(tmp_path / "old.zarr")
    created(tmp_path / "a.zarr", data=np.full((40, 50), 9, "i2"), chunks=(5, 5))
    assert array[39, 40:].tolist() == [9] * 10
