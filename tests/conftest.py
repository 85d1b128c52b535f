"""Fixtures for all tests: hierarchies written by zarr-python, object services, the command ``zarrscope``."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import gc
import importlib.util
import linecache
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import compress
from pathlib import Path
from typing import NamedTuple

import certifi
import hdf5plugin  # noqa: F401 - before netCDF4, whose import hides these filters from h5py
import pytest
from hypothesis import HealthCheck, settings

from tests.campaigns import ALL, are_campaigns, shorten
from tests.command import Outcome, run_inside, run_process
from tests.disk import disk
from tests.hierarchies import Expected, write_v2, write_v3
from tests.servers import (
    AZURE_ENVIRONMENT,
    AZURE_UNWANTED,
    GCS_ENVIRONMENT,
    GCS_UNWANTED,
    S3_ENVIRONMENT,
    S3_UNWANTED,
    AzureServer,
    GCSServer,
    S3Server,
    azure_server,
    environment,
    gcs_server,
    s3_server,
)
from zarrbrowser.plain_imports import restore_imports

# A busy machine is not an error: examples may be slow, and so is Hypothesis' first use of its Unicode tables.
settings.register_profile(
    "zarrscope", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=not ALL
)
settings.load_profile("zarrscope")

# jsonschema checks the format of IRIs, which no test needs, with a package that imports for 2.7 s of processor time.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]


M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8  # of mallopt(3)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out campaigns, and shorten properties, unless this is a run of ``packaging/test --all``."""
    if ALL:
        return
    are = are_campaigns(items)
    config.hook.pytest_deselected(items=[*compress(items, are)])
    items[:] = compress(items, [not it for it in are])
    for item in items:
        shorten(item)


def pytest_collection_finish() -> None:
    """Keep this process small.

    Doctest and PySide read the source of each module. And blocks of memory that tests release leave holes between those that
    stay: 290 MiB of the 730 MiB that the tests of the library took. So large blocks get mappings of their own; those of less
    than 4 MiB do not, since the kernel clears each page of a new mapping.
    """
    linecache.clearcache()
    gc.enable()
    gc.collect()
    gc.freeze()  # later collections skip modules and tests
    with contextlib.suppress(AttributeError):  # without GNU's C library
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(M_MMAP_THRESHOLD, 4 << 20)
        mallopt(M_ARENA_MAX, 2)


_DUMP_S, _RENEW_S = 110, 10
_stderr = -1
_renewed_s = 0.0


def pytest_configure() -> None:
    """Keep the standard error, which tests have replaced, and import as the window does: pytest-qt loads PySide everywhere."""
    global _stderr
    _stderr = os.dup(2)
    restore_imports()
    gc.disable()  # collecting tests creates almost no garbage


def pytest_runtest_logstart() -> None:
    """Before a test exceeds its time limit, show where its threads are, even if it hangs outside Python.

    ``faulthandler_timeout`` starts a thread for each test, a third of what a small one costs. So one thread has several tests.
    """
    global _renewed_s
    if time.monotonic() - _renewed_s > _RENEW_S:
        faulthandler.dump_traceback_later(_DUMP_S, file=_stderr)
        _renewed_s = time.monotonic()


def pytest_unconfigure() -> None:
    """Show nothing after the last test."""
    faulthandler.cancel_dump_traceback_later()
    os.close(_stderr)


class Written(NamedTuple):
    """A hierarchy on disk and the content of its arrays by node path; shared by all tests, so never change it."""

    path: Path
    expected: Expected

    def __repr__(self) -> str:
        return f"<{len(self.expected)} arrays at {self.path}>"  # a failing test prints its arguments


# The package needs Python 3.12 or newer.
collect_ignore_glob = (
    []
    if importlib.util.find_spec("icechunk")
    else [
        "browser/editing/test_versions.py",
        "browser/window/test_versions.py",
        "core/cli/test_copy_to_repository.py",
        "core/cli/test_versions.py",
        "core/stores/icechunk/*",
        "proofs/security/test_names_in_data.py",
        "zfs/test_repositories.py",
    ]
)


@pytest.fixture(scope="session")
def v3_hierarchy(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """A Zarr v3 hierarchy with every core data type and codec."""
    path = tmp_path_factory.mktemp("v3") / "v3.zarr"
    return Written(path, write_v3(path))


@pytest.fixture(scope="session")
def v2_hierarchy(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """A Zarr v2 hierarchy with every kind of data type, compressor and filter."""
    path = tmp_path_factory.mktemp("v2") / "v2.zarr"
    return Written(path, write_v2(path))


@pytest.fixture(scope="session", params=["v3", "v2"])
def hierarchy(request: pytest.FixtureRequest) -> Written:
    """Each of the two in turn."""
    return request.getfixturevalue(f"{request.param}_hierarchy")


@pytest.fixture(scope="session", autouse=True)
def _environment() -> Iterator[None]:
    """Always set keys, so that nothing asks the cloud's metadata address or the developer's account for them.

    And let each client read one certificate instead of the system's 140: thousands are made, all of them for loopback.
    """
    first, end, _ = Path(certifi.where()).read_text("utf-8").partition("-----END CERTIFICATE-----\n")
    with tempfile.NamedTemporaryFile("w", suffix=".pem") as trusted:
        os.fchmod(trusted.fileno(), 0o644)  # daemons of other users read it, too
        trusted.write(first + end)
        trusted.flush()
        keys = {**S3_ENVIRONMENT, **GCS_ENVIRONMENT, **AZURE_ENVIRONMENT, "SSL_CERT_FILE": trusted.name}
        with environment(keys, (*S3_UNWANTED, *GCS_UNWANTED, *AZURE_UNWANTED, "SSL_CERT_DIR")):
            yield


@pytest.fixture(scope="session")
def s3() -> Iterator[S3Server]:
    """An S3 service with the bucket ``bucket``."""
    with s3_server() as server:
        yield server


@pytest.fixture(scope="session")
def gcs(s3: S3Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GCSServer]:
    """A GCS service with the bucket ``gcs``."""
    with gcs_server(s3, tmp_path_factory.mktemp("gcs")) as server:
        yield server


@pytest.fixture(scope="session")
def azure() -> Iterator[AzureServer]:
    """An Azure service with the container ``container``."""
    with azure_server() as server:
        yield server


@pytest.fixture
def zarrscope() -> Callable[..., Outcome]:
    """``zarrscope("info", path)`` inside this process."""
    return run_inside


@pytest.fixture
def zarrscope_process() -> Callable[..., Outcome]:
    """``zarrscope_process("mount", path, …)`` in a separate process."""
    return run_process


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one mebibyte."""
    with disk(tmp_path / "disk", "1m") as place:
        yield place


@pytest.fixture
def without_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks are read by Python alone, so that its calls can be counted or made to fail."""
    monkeypatch.setattr("zarrcore.array.native.files.engine", lambda: None)
