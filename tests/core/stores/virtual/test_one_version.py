"""Remote files that are replaced while they are open: no read mixes two versions."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import h5py
import numpy as np
import pytest
import tifffile
from scipy.io import netcdf_file

import zarrcore
from tests.servers import S3Server, WebServer
from zarrcore.errors import ChangedError
from zarrcore.stores.interface import StoreStat
from zarrcore.stores.object.store import ObstoreStore
from zarrcore.stores.virtual import parsed_file
from zarrcore.stores.virtual.one_version import check_version

SHAPE = (3000, 1000)


def hdf5(value: int) -> bytes:
    memory = io.BytesIO()
    with h5py.File(memory, "w") as file:
        file.create_dataset("a", data=np.full(SHAPE, value, "i4"), chunks=(100, 1000))
    return memory.getvalue()


def netcdf3(value: int) -> bytes:
    memory = io.BytesIO()
    with netcdf_file(memory, "w") as file:
        for axis, length in zip("tx", SHAPE, strict=True):
            file.createDimension(axis, length)
        file.createVariable("a", "i4", ("t", "x"))[:] = value
        file.flush()
        return memory.getvalue()


def tiff(value: int) -> bytes:
    memory = io.BytesIO()
    tifffile.imwrite(memory, np.full(SHAPE, value, "i4"), tile=(128, 128))
    return memory.getvalue()


FILES: dict[str, tuple[Callable[[int], bytes], str]] = {
    "a.h5": (hdf5, "a"),
    "a.nc": (netcdf3, "a"),
    "a.tif": (tiff, "0"),
}


@pytest.mark.parametrize("scheme", ["http", "s3"])
@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_replaced_is_never_mixed(
    nginx: WebServer, s3: S3Server, monkeypatch: pytest.MonkeyPatch, name: str, scheme: str
) -> None:
    write, path = FILES[name]

    def put(value: int) -> None:
        if scheme == "s3":
            s3.put(f"bucket/replaced/{name}", write(value))
            return
        place = nginx.root / "replaced" / name
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(write(value))
        os.utime(place, (10**9 + value,) * 2)  # a version, for nginx, is a whole second and a size

    put(1)
    start, options = ("s3://bucket", s3.options) if scheme == "s3" else (nginx.plain_url, {})
    with zarrcore.open_hierarchy(f"{start}/replaced/{name}", **options) as hierarchy:
        array = hierarchy.array(path)
        assert (array[:10] == 1).all()
        put(2)
        with pytest.raises(ChangedError, match="changed while it was read"):
            array[2900:]
        monkeypatch.setattr(parsed_file, "_CHECKED_EACH_S", 0)
        assert (array[2900:] == 2).all()


def test_etags_of_two_servers_behind_one_address_are_one_version() -> None:
    """Their times agree, and are so old that no other change can have the same."""
    one, other = StoreStat(3, 1.0, "one"), StoreStat(3, 1.0, "other")
    check_version(one.lasting_version, other, "memory://a.h5", "a.h5")
    now_s = time.time()
    recent = StoreStat(3, now_s, "one").lasting_version
    check_version(recent, StoreStat(3, now_s, "one"), "memory://a.h5", "a.h5")
    for changed in (StoreStat(3, now_s, "other"), StoreStat(3, now_s + 1, "other")):
        for version in (recent, one.lasting_version):
            with pytest.raises(ChangedError):
                check_version(version, changed, "memory://a.h5", "a.h5")


def test_a_version_keeps_its_name_while_a_file_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    recent = StoreStat(3, time.time(), "one")
    version = recent.lasting_version
    monkeypatch.setattr("zarrcore.stores.interface.CERTAIN_AGE_S", -60)
    check_version(version, recent, "memory://a.h5", "a.h5")
    with pytest.raises(ChangedError):
        check_version(version, replace(recent, etag="other"), "memory://a.h5", "a.h5")


@pytest.mark.parametrize("name", FILES)
def test_a_file_on_two_servers_behind_one_address_is_read(
    nginx: WebServer, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    write, path = FILES[name]
    place = nginx.root / "edges" / name
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(write(1))
    os.utime(place, (10**9,) * 2)
    numbers = count()
    answer = ObstoreStore.get_with_stat

    def edge(store: ObstoreStore, *args: Any, **keywords: Any) -> Any:
        found = answer(store, *args, **keywords)
        return found and (found[0], replace(found[1], etag=f"edge {next(numbers) % 2}"))

    monkeypatch.setattr(ObstoreStore, "get_with_stat", edge)
    with zarrcore.open_hierarchy(f"{nginx.plain_url}/edges/{name}") as hierarchy:
        assert (hierarchy.array(path)[...] == 1).all()
    assert next(numbers) > 2


def test_a_server_without_etags_names_versions_by_their_time() -> None:
    old, new = StoreStat(3, 1.0), StoreStat(3, 2.0)
    check_version(old.version, old, "memory://a.h5", "a.h5")
    with pytest.raises(ChangedError, match=r"memory://a.h5 changed while it was read"):
        check_version(old.version, new, "memory://a.h5", "a.h5")
    check_version(StoreStat(3).version, new, "memory://a.h5", "a.h5")
