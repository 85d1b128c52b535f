"""Texts and bytes of variable length, as h5py, netCDF4 and xarray read them, compared with zarr-python."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import h5py
import netCDF4
import numcodecs
import numpy as np
import pytest
import xarray as xr
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st
from zarr.core.dtype import VariableLengthBytes

import zarrcore as zc
from tests.core.filetypes.hdf5.one_array import array_of
from zarrcore.errors import ReadCancelledError, UnsupportedError, ZarrError
from zarrcore.filetypes import file_type
from zarrcore.filetypes.hdf5 import texts
from zarrcore.filetypes.hdf5.file import HDF5File, hdf5_file, netcdf_file

VALUES = np.array([["a", "", "ü"], ["漢字🧠", "x" * 100_000, "end"]], object)
MANY = np.array([str(number) * (number % 9) for number in range(70_000)], object)


def written(node: Any, path: Path) -> Path:
    file = (netcdf_file if path.suffix == ".nc" else hdf5_file)(node)
    with path.open("wb") as stream:
        file.write_to(stream)
    assert path.stat().st_size == file.size
    return path


@pytest.fixture(scope="module")
def group(tmp_path_factory: pytest.TempPathFactory) -> zarr.Group:
    made = zarr.open_group(tmp_path_factory.mktemp("texts") / "a.zarr", mode="w")
    names = made.create_array("names", shape=(2, 3), dtype=str, chunks=(1, 2), dimension_names=("y", "x"))
    names[...] = VALUES
    made.create_array("many", shape=MANY.shape, dtype=str, chunks=(30_000,))[...] = MANY
    made.create_array("scalar", shape=(), dtype=str)[...] = "one"
    made.create_array("none", shape=(0,), dtype=str)
    made.create_array("numbers", shape=(3,), dtype="f8")[...] = [1, 2, 3]
    return made


def opened(group: zarr.Group) -> Any:
    return zc.open_hierarchy(str(group.store_path).removeprefix("file://"))["/"]


def test_h5py_reads_them(group: zarr.Group, tmp_path: Path) -> None:
    with h5py.File(written(opened(group), tmp_path / "a.h5")) as file:
        kind = h5py.check_string_dtype(file["names"].dtype)
        assert (kind.encoding, kind.length) == ("utf-8", None)
        for name in ("names", "many", "none"):
            assert file[name].asstr()[...].tolist() == group[name][...].tolist()
        assert file["many"].asstr()[60_000:60_003].tolist() == MANY[60_000:60_003].tolist()
        assert file["scalar"].asstr()[()] == "one"
        assert file["numbers"][...].tolist() == [1, 2, 3]


def test_netcdf4_and_xarray_read_them(group: zarr.Group, tmp_path: Path) -> None:
    path = written(opened(group), tmp_path / "a.nc")
    with netCDF4.Dataset(path) as file:
        assert file["names"].dtype is str
        for name in ("names", "many"):
            assert file[name][...].tolist() == group[name][...].tolist()
    with xr.open_dataset(path) as found:
        assert found["names"].dims == ("y", "x")
        assert found["names"].values.tolist() == VALUES.tolist()


@pytest.mark.parametrize("suffix", ["h5", "nc"])
def test_zarrcore_reads_them_back(group: zarr.Group, tmp_path: Path, suffix: str) -> None:
    back = zc.open_hierarchy(written(opened(group), tmp_path / f"a.{suffix}"))
    assert back["/names"].data_type.name == "string"
    assert back["/names"][...].tolist() == VALUES.tolist()
    assert back["/many"][...].tolist() == MANY.tolist()


@pytest.mark.parametrize("suffix", ["h5", "nc"])
def test_objects_of_version_2(tmp_path: Path, suffix: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = zarr.open_group(tmp_path / "a.zarr", mode="w", zarr_format=2)
        text = made.create_array("text", shape=(3,), dtype=str, chunks=(2,), filters=[numcodecs.VLenUTF8()])
        text[...] = np.array(["a", "", "é"], object)
        raw = made.create_array(
            "raw", shape=(3,), dtype=VariableLengthBytes(), chunks=(2,), filters=[numcodecs.VLenBytes()]
        )
        raw[...] = np.array([b"a\0b", b"", b"\xff"], object)
    with h5py.File(written(opened(made), tmp_path / f"a.{suffix}")) as file:
        assert file["text"].asstr()[...].tolist() == ["a", "", "é"]
        if suffix == "h5":
            assert [one.tobytes() for one in file["raw"][...]] == [b"a\0b", b"", b"\xff"]
        else:
            assert "raw" not in file
            assert "/raw: data type 'bytes' has no counterpart in NetCDF" in str(
                file.attrs["_zarrscope_left_out"]
            )


def test_a_text_with_a_zero_byte_is_left_out(tmp_path: Path) -> None:
    hierarchy = zc.create(tmp_path / "a.zarr")
    hierarchy.create_array("a", shape=(2,), dtype="string")[...] = np.array(["x\0y", ""], object)
    hierarchy.create_array("b", shape=(1,), dtype="string")[...] = np.array(["b"], object)
    file = hdf5_file(hierarchy["/"])
    assert len(file.left_out()) == 1
    assert "/a: text " in file.left_out()[0]
    assert "has a zero byte" in file.left_out()[0]
    assert [array.path for array in file.arrays] == ["/b"]
    with pytest.raises(UnsupportedError, match=r"cannot be written as HDF5: text .* has a zero byte"):
        hdf5_file(hierarchy["/a"])


def test_a_damaged_chunk_is_an_error_and_not_left_out(tmp_path: Path) -> None:
    hierarchy = zc.create(tmp_path / "a.zarr")
    hierarchy.create_array("a", shape=(2,), dtype="string")[...] = np.array(["x", "y"], object)
    (tmp_path / "a.zarr/a/c/0").write_bytes(b"damaged")
    with pytest.raises(ZarrError):
        hdf5_file(zc.open_hierarchy(tmp_path / "a.zarr")["/"])


def test_reading_them_can_be_cancelled(tmp_path: Path) -> None:
    array = zc.create(tmp_path / "a.zarr").create_array("a", shape=(40,), dtype="string", chunks=(20,))
    array[...] = np.array(["x"] * 40, object)
    asked: list[None] = []

    def cancelled() -> bool:
        asked.append(None)
        return len(asked) > 5

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(texts, "_BATCH_ELEMENTS", 2)
        with pytest.raises(ReadCancelledError):
            file_type("h5").of_array(array, cancelled=cancelled)
    assert len(asked) == 6  # it stopped between elements of a chunk
    (tmp_path / "a.zarr/a/c/1").write_bytes(b"damaged")
    with pytest.raises(ReadCancelledError):
        file_type("nc").of_group(zc.open_hierarchy(tmp_path / "a.zarr")["/"], cancelled=lambda: True)


def test_files_of_a_mount_omit_them_and_say_how_to_write_them(group: zarr.Group) -> None:
    told = HDF5File(opened(group)).left_out()
    assert len(told) == 4
    assert "use zarrscope cat --as hdf5, or export the node" in told[0]


@settings(deadline=None, max_examples=30)
@given(
    st.lists(
        st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=40), max_size=60
    ),
    st.integers(1, 5),
    st.integers(0, 100),
)
def test_any_texts_and_any_part_of_the_file(cells: list[str], columns: int, start: int) -> None:
    cells = cells[: len(cells) // columns * columns]
    data = np.array(cells, np.dtypes.StringDType()).reshape(-1, columns)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(texts, "_SLAB_ELEMENTS", 7)
        patched.setattr(texts, "_MAX_ITEMS", 5)
        patched.setattr(texts, "_IN_MEMORY_NBYTES", 100)
        file = hdf5_file(array_of(data, "string"))
        whole = bytes(file.read(0, file.size))
        with h5py.File.in_memory(whole) as found:
            assert found["a"].asstr()[...].tolist() == data.tolist()
    assert bytes(file.read(file.size - start, 37)) == whole[max(0, file.size - start) :][:37]
