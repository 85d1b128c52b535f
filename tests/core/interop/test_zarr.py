"""The store for zarr-python, by zarr-python's own tests of stores."""

from __future__ import annotations

import os
import pickle
import threading
import uuid
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray as xr
import zarr
from zarr.abc.store import OffsetByteRequest, RangeByteRequest, SuffixByteRequest
from zarr.core.buffer import default_buffer_prototype
from zarr.core.buffer.cpu import Buffer
from zarr.core.sync import sync
from zarr.testing.store import StoreTests

import zarrcore
from tests.servers import S3Server
from zarrcore.errors import AccessDeniedError, ReadOnlyError, StoreError
from zarrcore.interop.zarr import ZarrcoreStore
from zarrcore.stores import LocalStore, MemoryStore, ReadableStore, ReadOnlyStore, StatisticsStore

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.usefixtures(
        "anyio_backend"
    ),  # for tests of the class that are no coroutines, but whose fixtures are
]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


def other_store(store: ZarrcoreStore) -> Any:
    """Another store of zarrcore with the same values, which knows nothing of what the first one does."""
    return pickle.loads(pickle.dumps(store.store))


class Stores(StoreTests[ZarrcoreStore, Buffer]):
    """The tests of zarr-python, with values that another store of zarrcore sets and gets."""

    store_cls = ZarrcoreStore
    buffer_cls = Buffer

    async def set(self, store: ZarrcoreStore, key: str, value: Any) -> None:
        other_store(store).set(key, value.to_bytes())

    async def get(self, store: ZarrcoreStore, key: str) -> Buffer:
        value = other_store(store).get(key)
        assert value is not None
        return self.buffer_cls.from_bytes(value)

    def test_store_repr(self, store: ZarrcoreStore) -> None:
        assert repr(store) == f"ZarrcoreStore({store.store.url!r})"
        assert str(store) == store.store.url

    def test_store_supports_writes(self, store: ZarrcoreStore) -> None:
        assert store.supports_writes
        assert store.supports_deletes

    def test_store_supports_listing(self, store: ZarrcoreStore) -> None:
        assert store.supports_listing

    def test_store_supports_partial_writes(self, store: ZarrcoreStore) -> None:
        assert not store.supports_partial_writes


class TestLocal(Stores):
    @pytest.fixture
    def store_kwargs(self, tmp_path: Path) -> dict[str, Any]:
        return {"source": tmp_path}


class TestMemory(Stores):
    @pytest.fixture
    def store_kwargs(self) -> dict[str, Any]:
        return {"source": f"memory://{uuid.uuid4()}"}


class TestZip(Stores):
    @pytest.fixture
    def store_kwargs(self, tmp_path: Path) -> dict[str, Any]:
        zipfile.ZipFile(tmp_path / "a.zip", "w").close()
        return {"source": str(tmp_path / "a.zip")}


@pytest.mark.campaign
class TestS3(Stores):
    @pytest.fixture
    def store_kwargs(self, s3: S3Server) -> dict[str, Any]:
        return {"source": f"s3://bucket/{uuid.uuid4()}", **s3.options}


class TestOpenStore(Stores):
    """An open store of zarrcore stays open, and is the source of any number of stores."""

    @pytest.fixture
    def store_kwargs(self, tmp_path: Path) -> dict[str, Any]:
        return {"source": StatisticsStore(LocalStore(tmp_path))}


class TestView(Stores):
    """A hierarchy of N5 seen as Zarr v3. Its keys follow from its arrays, so tests that set keys are not for it.

    `test_plain_zarr` compares what it reads and lists with a copy in a store of zarr-python.
    """

    @pytest.fixture
    def store_kwargs(self) -> dict[str, Any]:
        return {"source": zarrcore.create(f"memory://{uuid.uuid4()}", "n5")}

    def test_store_read_only(self, store: ZarrcoreStore) -> None:
        assert store.read_only
        with pytest.raises(AttributeError):
            store.read_only = False

    @pytest.mark.parametrize("read_only", [True, False])
    async def test_store_open_read_only(self, open_kwargs: dict[str, Any], read_only: bool) -> None:
        if read_only:
            assert (await self.store_cls.open(**open_kwargs, read_only=True)).read_only
            return
        with pytest.raises(ReadOnlyError, match="read-only"):
            await self.store_cls.open(**open_kwargs, read_only=False)

    async def test_with_read_only_store(self, open_kwargs: dict[str, Any]) -> None:
        store = await self.store_cls.open(**open_kwargs)
        assert store.with_read_only(read_only=True) == store
        with pytest.raises(ReadOnlyError, match="read-only"):
            store.with_read_only(read_only=False)

    def test_store_supports_writes(self, store: ZarrcoreStore) -> None:
        assert not store.supports_writes
        assert not store.supports_deletes


OF_VIEWS = {
    "type",
    "eq",
    "repr",
    "read_only",
    "open_read_only",
    "with_read_only_store",
    "supports_partial_writes",
}
OF_VIEWS |= {"supports_writes", "supports_listing", "context_manager", "read_only_raises", "getsize_raises"}
for name in dir(TestView):
    if name.startswith("test_") and name.removeprefix("test_").removeprefix("store_") not in OF_VIEWS:
        setattr(TestView, name, None)


def test_zarr_python_reads_and_writes_by_the_store(tmp_path: Path) -> None:
    store = ZarrcoreStore(tmp_path / "a.zip", read_only=False)
    group = zarr.create_group(store, attributes={"a": 1})
    array = group.create_array("x", shape=(9, 9), chunks=(2, 2), shards=(4, 4), dtype="f4")
    values = np.random.default_rng(0).random((9, 9), "f4")
    array[...] = values
    array.oindex[[8, 1], ::3] = 5
    values[[8, 1], ::3] = 5
    store.close()
    assert np.array_equal(
        zarr.open_group(zarr.storage.ZipStore(tmp_path / "a.zip"), mode="r")["x"][...], values
    )
    assert np.array_equal(zarr.open_group(ZarrcoreStore(tmp_path / "a.zip"), mode="r")["x"][...], values)


def test_a_missing_directory_is_made_only_if_it_is_to_be_written(tmp_path: Path) -> None:
    for read_only in (None, True):
        with pytest.raises(StoreError, match="there is no file or directory"):
            ZarrcoreStore(tmp_path / "typo", read_only=read_only)
    assert not (tmp_path / "typo").exists()
    ZarrcoreStore(tmp_path / "new", read_only=False)
    assert (tmp_path / "new").is_dir()


def test_a_store_given_open_stays_open_and_others_are_closed(tmp_path: Path) -> None:
    given = MemoryStore(values={"a": b"1"})
    zip_file = tmp_path / "a.zip"
    with ZarrcoreStore(zip_file, read_only=False) as store:
        sync(store.set("a", Buffer.from_bytes(b"1")))
        ZarrcoreStore(store.store).close()
        assert sync(store.get("a", default_buffer_prototype())) is not None
    assert zipfile.is_zipfile(zip_file)
    ZarrcoreStore(given).close()
    assert given.get("a") == b"1"


def test_a_store_that_cannot_be_written_is_read_only() -> None:
    store = ZarrcoreStore(ReadOnlyStore(MemoryStore(values={"a": b"1"})))
    assert store.read_only
    assert not store.supports_writes
    with pytest.raises(ValueError, match="read-only"):
        sync(store.set("a", Buffer.from_bytes(b"2")))
    with pytest.raises(ReadOnlyError):
        store.with_read_only(read_only=False)


def test_a_failure_of_the_store_is_no_missing_chunk(s3: S3Server) -> None:
    store = ZarrcoreStore(f"s3://bucket/{uuid.uuid4()}", read_only=False, **s3.options)
    array = zarr.create_array(store, shape=(4,), chunks=(2,), dtype="i4", fill_value=9)
    array[...] = 1
    assert array[...].tolist() == [1, 1, 1, 1]
    with s3.denying(), pytest.raises(AccessDeniedError):
        array[...]


def test_requests_to_a_remote_store_run_at_the_same_time() -> None:
    lock, sixteen = threading.Lock(), threading.Barrier(16, timeout=60)

    class Waiting(MemoryStore):
        is_remote = True
        requests_in_flight = 16
        most = now = 0

        def get(self, key: str, *arguments: Any, **options: Any) -> Any:
            with lock:
                self.now += 1
                self.most = max(self.most, self.now)
            sixteen.wait()  # an error if fewer run at the same time
            with lock:
                self.now -= 1
            return super().get(key, *arguments, **options)

    waiting = Waiting(values={str(i): b"1" for i in range(64)})
    store = ZarrcoreStore(waiting)
    keys = [(str(i), None) for i in range(64)]
    assert len(sync(store.get_partial_values(default_buffer_prototype(), keys))) == 64
    assert waiting.most == 16
    assert not store._supports_sync_io
    store.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_process_reads_with_threads_of_its_own() -> None:
    class Remote(MemoryStore):
        is_remote = True

    store = ZarrcoreStore(Remote(values={"a": b"1"}))
    prototype = default_buffer_prototype()
    assert sync(store.get("a", prototype)).to_bytes() == b"1"
    child = os.fork()
    if child == 0:
        os._exit(sync(store.get("a", prototype)).to_bytes() != b"1")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    store.close()


def test_xarray_opens_any_format_by_the_store(tmp_path: Path) -> None:
    data = xr.Dataset({"t": (("y", "x"), np.arange(12.0).reshape(3, 4))}, {"x": [1, 2, 3, 4]}, {"title": "a"})
    data.to_netcdf(tmp_path / "a.nc", engine="h5netcdf")
    with zarrcore.open_hierarchy(tmp_path / "a.nc") as hierarchy:
        found = xr.open_zarr(ZarrcoreStore(hierarchy), consolidated=False, chunks=None)
        xr.testing.assert_equal(found, data)


def test_only_the_wanted_part_of_a_value_is_read() -> None:
    statistics = StatisticsStore(MemoryStore(values={"a": bytes(range(100))}))
    store = ZarrcoreStore(statistics)
    for request, expected in [
        (RangeByteRequest(2, 5), bytes(range(2, 5))),
        (OffsetByteRequest(95), bytes(range(95, 100))),
        (SuffixByteRequest(3), bytes(range(97, 100))),
        (SuffixByteRequest(0), b""),
    ]:
        assert store.get_sync("a", byte_range=request).to_bytes() == expected
    assert store.get_sync("b") is None
    assert store.get_sync("") is None


def test_a_value_must_be_a_buffer() -> None:
    store: Any = ZarrcoreStore(MemoryStore())
    with pytest.raises(TypeError, match="expected a Buffer, found bytes"):
        sync(store.set("a", b"1"))


def test_readable_stores_that_cannot_list_say_so() -> None:
    class Blind(ReadableStore):
        url = "blind://"

        def get(self, key: str, *arguments: Any, **options: Any) -> bytes | None:
            return None

    store = ZarrcoreStore(Blind())
    assert not store.supports_listing
    assert not store.supports_writes
