"""Files whose metadata are in a metadata cache image, as the HDF5 library writes them."""

from __future__ import annotations

import ctypes
import struct
from pathlib import Path

import h5py
import numpy as np
import pytest
from numcodecs.checksum32 import JenkinsLookup3

import zarrcore
from tests.core.stores.hdf5.written import opened
from zarrcore.errors import StoreError

ELEMENTS = np.arange(4000).reshape(40, 100)


class Config(ctypes.Structure):
    """``H5AC_cache_image_config_t``, which h5py has no name for."""

    _fields_ = (
        ("version", ctypes.c_int),
        ("generate_image", ctypes.c_bool),
        ("save_resize_status", ctypes.c_bool),
        ("entry_ageout", ctypes.c_int),
    )


def hdf5_library(identifier: int) -> ctypes.CDLL:
    """The library that h5py has loaded, which knows an object by this identifier."""
    maps = [line for line in Path("/proc/self/maps").read_text().splitlines() if "/libhdf5" in line]
    names = {line[line.index("/") :] for line in maps if "libhdf5_hl" not in line}
    for name in sorted(
        names, key=lambda name: "h5py" not in name
    ):  # other packages may have libraries of their own
        library = ctypes.CDLL(name)
        if library.H5Iis_valid(ctypes.c_int64(identifier)) > 0:
            return library
    pytest.skip("the HDF5 library of h5py is not found")


def with_image(path: Path) -> bytes:
    access = h5py.h5p.create(h5py.h5p.FILE_ACCESS)
    access.set_libver_bounds(h5py.h5f.LIBVER_LATEST, h5py.h5f.LIBVER_LATEST)
    config = Config(1, True, False, -1)
    assert (
        hdf5_library(access.id).H5Pset_mdc_image_config(ctypes.c_int64(access.id), ctypes.byref(config)) >= 0
    )
    with h5py.File(h5py.h5f.create(bytes(path), h5py.h5f.ACC_TRUNC, fapl=access)) as file:
        file.attrs["title"] = "ü"
        file.create_group("g")["n"] = 4
        file.create_dataset("g/chunks", data=ELEMENTS, chunks=(7, 11), compression="gzip")
        file.create_dataset("grows", data=ELEMENTS, chunks=(7, 11), maxshape=(None, None))
        file["texts"] = ["a", "bc"]
    return path.read_bytes()


def test_metadata_in_the_image_are_read(tmp_path: Path) -> None:
    content = with_image(tmp_path / "a.h5")
    assert b"MDCI" in content
    hierarchy = zarrcore.open_hierarchy(tmp_path / "a.h5")
    with h5py.File(tmp_path / "a.h5") as file:  # an independent reader
        assert hierarchy["/"].attributes == {"title": file.attrs["title"]}
        for path in ("g/n", "g/chunks", "grows"):
            assert np.array_equal(hierarchy[path][...], file[path][...])
        assert hierarchy["texts"][...].tolist() == file["texts"].asstr()[...].tolist()


def test_a_broken_image_is_named(tmp_path: Path) -> None:
    content = with_image(tmp_path / "a.h5")
    at = content.index(b"MDCI")
    with pytest.raises(StoreError, match="the checksum of the metadata cache image differs"):
        opened(content[: at + 40] + b"?" + content[at + 41 :])
    (nbytes,) = struct.unpack_from("<Q", content, at + 6)
    image = bytearray(content[at : at + nbytes - 4])
    struct.pack_into("<Q", image, 18 + 22, nbytes)  # the length of the first entry
    changed = bytes(JenkinsLookup3().encode(image))
    with pytest.raises(StoreError, match="an entry of its metadata cache image ends outside"):
        opened(content[:at] + changed + content[at + nbytes :])
