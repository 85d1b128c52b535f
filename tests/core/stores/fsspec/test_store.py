"""FsspecStore."""

from __future__ import annotations

import contextlib
import pickle
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import fsspec.config
import numpy as np
import pytest
import zarr
from fsspec.implementations.local import LocalFileSystem
from fsspec.implementations.memory import MemoryFileSystem

import zarrcore
from tests.any_store import open_store
from tests.core.stores.contract import VALUES, StoreTests, WritableStoreTests
from tests.core.stores.test_model import check
from tests.servers.processes import free_port, running
from zarrcore.errors import AccessDeniedError, UnreachableError
from zarrcore.stores import ByteRange, WritableStore
from zarrcore.stores.fsspec.store import FsspecStore


class TestMemory(StoreTests, WritableStoreTests):
    @pytest.fixture
    def store(self) -> FsspecStore:
        store = FsspecStore(MemoryFileSystem(), f"/{uuid.uuid4()}")
        for key, value in VALUES.items():
            store.set(key, value)
        return store

    @pytest.fixture
    def empty(self) -> FsspecStore:
        return FsspecStore(MemoryFileSystem(), f"/{uuid.uuid4()}")


class TestLocal(StoreTests, WritableStoreTests):
    @pytest.fixture
    def store(self, values_directory: Path) -> FsspecStore:
        return FsspecStore(f"local://{values_directory}")

    @pytest.fixture
    def empty(self, tmp_path: Path) -> FsspecStore:
        return FsspecStore(f"local://{tmp_path}/new")


def test_the_store_behaves_like_a_dictionary(tmp_path: Path) -> None:
    @contextlib.contextmanager
    def directory() -> Iterator[WritableStore]:
        yield FsspecStore(LocalFileSystem(), str(tmp_path / str(uuid.uuid4())))

    check(directory, 6, 25)


@pytest.fixture(scope="module")
def ftp_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ftp")


@pytest.fixture(scope="module")
def ftp(ftp_root: Path) -> Iterator[str]:
    """The URL of an FTP server, whose password is in fsspec's configuration."""
    with ftp_server(ftp_root) as url:
        fsspec.config.conf["ftp"] = {"password": "geheim"}
        yield url
        del fsspec.config.conf["ftp"]


class TestFTP:
    """The store over a real connection, which serves all threads in turn."""

    def test_values_are_written_and_read(self, ftp: str, ftp_root: Path) -> None:
        with open_store(f"{ftp}/deep/x") as store:
            for key, value in VALUES.items():
                assert store.set(key, value)
            assert not store.set("zarr.json", b"", if_absent=True)
            assert {key: store.get(key) for key in VALUES} == VALUES
            assert store.get("a/c/0/0", ByteRange(10, 300)) == VALUES["a/c/0/0"][10:300]
            assert store.get("a/c/0/0", ByteRange(-7)) == VALUES["a/c/0/0"][-7:]
            assert (store.get("a/c/0/2"), store.get("absent/x"), store.get("a")) == (None, None, None)
            assert {entry.key: entry.size for entry in store.list()} == {k: len(v) for k, v in VALUES.items()}
            assert (ftp_root / "deep/x/ab/x").read_bytes() == b"1"
            assert store.stat("ab/x").size == 1
            again = pickle.loads(pickle.dumps(store))
            again.erase_prefix("a/")
            again.close()
            assert sorted(entry.key for entry in store.list_dir("")) == ["ab/", "größe/", "zarr.json"]

    def test_a_broken_connection_is_remade(self, ftp_root: Path) -> None:
        (ftp_root / "x").write_bytes(b"1")
        port = free_port()
        with ftp_server(ftp_root, port) as url, open_store(f"{url}/", timeout_s=5) as store:
            assert store.get("x") == b"1"
        with pytest.raises(UnreachableError):
            store.get("x")
        with ftp_server(ftp_root, port):
            assert store.get("x") == b"1"
        store.close()

    def test_failures_are_reported_and_never_mean_absent(self, ftp: str) -> None:
        for url, kind, said in (
            (ftp.replace("me@", "you@"), AccessDeniedError, "FSSPEC_FTP_PASSWORD"),
            (f"ftp://127.0.0.1:{free_port()}", UnreachableError, "refuses the connection"),
            ("ftp://nobody.invalid", UnreachableError, "the server's name cannot be resolved"),
        ):
            with open_store(f"{url}/x", timeout_s=2, retries=0) as store:
                for ask in (lambda: store.get("a"), lambda: store.stat("a"), lambda: [*store.list()]):
                    with pytest.raises(kind, match=said) as caught:
                        ask()
                    assert "geheim" not in str(caught.value)


@contextlib.contextmanager
def ftp_server(root: Path, port: int = 0) -> Iterator[str]:
    port = port or free_port()
    program = (
        "import sys\n"
        "from pyftpdlib.authorizers import DummyAuthorizer\n"
        "from pyftpdlib.handlers import FTPHandler\n"
        "from pyftpdlib.servers import FTPServer\n"
        "FTPHandler.authorizer = DummyAuthorizer()\n"
        "FTPHandler.auth_failed_timeout = 0\n"
        "FTPHandler.authorizer.add_user('me', 'geheim', sys.argv[1], perm='elradfmwMT')\n"
        "FTPHandler.authorizer.add_anonymous(sys.argv[1])\n"
        "FTPServer(('127.0.0.1', int(sys.argv[2])), FTPHandler).serve_forever()\n"
    )
    with running([sys.executable, "-c", program, str(root), str(port)], (port,)):
        yield f"ftp://me@127.0.0.1:{port}"


def test_zarr_python_and_zarrcore_read_each_others_data_through_fsspec() -> None:
    place = f"/{uuid.uuid4()}"
    filesystem = MemoryFileSystem()
    theirs = zarr.storage.FsspecStore.from_url(f"memory:/{place}/theirs")
    zarr.create_array(theirs, name="a", data=np.arange(10), chunks=(3,))
    hierarchy = zarrcore.open_hierarchy(FsspecStore(filesystem, f"{place}/theirs"))
    assert hierarchy["a"][...].tolist() == [*range(10)]
    made = zarrcore.create(FsspecStore(filesystem, f"{place}/ours"))
    made.create_array("b", shape=(10,), dtype="int64")[...] = np.arange(10)
    group = zarr.open_group(zarr.storage.FsspecStore.from_url(f"memory:/{place}/ours"), mode="r")
    assert group["b"][...].tolist() == [*range(10)]
