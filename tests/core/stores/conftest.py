"""Servers for the tests of stores, and an environment without credentials."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest

from tests.any_store import AnyStore, open_store
from tests.campaigns import ALL
from tests.core.stores.contract import VALUES
from tests.servers import (
    AZURE_ENVIRONMENT,
    GCS_ENVIRONMENT,
    FaultServer,
    WebServer,
    apache_server,
    fault_server,
    nginx_server,
    python_web_server,
    rclone_server,
)
from tests.waiting import PATIENCE_S
from zarrcore.stores.credentials import cloud_machine as clouds

AWS_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")

# Ceph is another service with the S3 API, and slow.
collect_ignore = [] if ALL else ["object/test_ceph.py"]

Opener = Callable[..., AnyStore]


def write_values(root: Path) -> Path:
    """Write `VALUES` as files beneath ``root``."""
    for key, value in VALUES.items():
        file = root / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(value)
        # Apache changes the tag of a file when that is a second old.
        os.utime(file, (1_700_000_000, 1_700_000_000))
    return root


@pytest.fixture(scope="session")
def values_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with `VALUES`; shared, so it must not be changed."""
    return write_values(tmp_path_factory.mktemp("values"))


@pytest.fixture(scope="session")
def web_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of the web servers: `VALUES` in the folder ``values``."""
    root = tmp_path_factory.mktemp("web")
    write_values(root / "values")
    return root


@pytest.fixture(scope="session")
def nginx(web_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """nginx over ``web_root``."""
    with nginx_server(web_root, tmp_path_factory.mktemp("nginx")) as server:
        yield server


@pytest.fixture(scope="session")
def apache(web_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    """Apache over ``web_root``."""
    with apache_server(web_root, tmp_path_factory.mktemp("apache")) as server:
        yield server


@pytest.fixture(scope="session")
def rclone(web_root: Path) -> Iterator[WebServer]:
    """``rclone serve webdav`` over ``web_root``."""
    with rclone_server(web_root) as server:
        yield server


@pytest.fixture(scope="session")
def python_web(web_root: Path) -> Iterator[WebServer]:
    """``python -m http.server`` over ``web_root``."""
    with python_web_server(web_root) as server:
        yield server


@pytest.fixture
def inhabited(tmp_path: Path) -> Path:
    """A folder with an HDF5 file, a zip file that has a hierarchy and the HDF5 file, and another file."""
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["group/x"] = np.arange(12, dtype="i2").reshape(3, 4)
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.write(tmp_path / "a.h5", "inner.h5")
        archive.writestr("deep/group/zarr.json", '{"zarr_format": 3, "node_type": "group"}')
    (tmp_path / "notes.txt").write_text("nothing")
    return tmp_path


@pytest.fixture
def faults() -> Iterator[FaultServer]:
    """A server that misbehaves on demand."""
    with fault_server() as server:
        yield server


@pytest.fixture
def options(faults: FaultServer) -> dict[str, object]:
    """Keywords of `open_store` to connect to ``faults``, whose answers a busy machine may delay."""
    return {"endpoint_url": faults.url, "region": "us-east-1", "timeout_s": PATIENCE_S, "retries": 1}


@pytest.fixture
def opened(faults: FaultServer) -> Opener:
    """Opens URLs of ``faults``, whose answers a busy machine may delay."""

    def open_it(path: str = "", **options: object) -> AnyStore:
        return open_store(f"{faults.url}/{path}", **{"timeout_s": PATIENCE_S, "retries": 1, **options})

    return open_it


NO_KEYS = (*AWS_KEYS, *GCS_ENVIRONMENT, *AZURE_ENVIRONMENT, "GCE_METADATA_HOST", "K_SERVICE")


@pytest.fixture
def no_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No credentials anywhere, on a machine outside any cloud."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(clouds, "_FILES", (str(tmp_path / "vendor"),))
    for name in NO_KEYS:
        monkeypatch.delenv(name, raising=False)
