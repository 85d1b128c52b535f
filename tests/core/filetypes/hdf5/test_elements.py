"""Elements of every type, as h5py reads them."""

from __future__ import annotations

from typing import Any

import h5py
import ml_dtypes
import numpy as np
import pytest

from tests.core.filetypes.hdf5.one_array import array_of, same
from tests.core.filetypes.hdf5.reading import opened
from tests.hierarchies import values

SHAPE = (5, 3)
SAME = ["bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))]
SAME += ["float16", "float32", "float64", "complex64", "complex128"]
SMALL = {
    "bfloat16": (ml_dtypes.bfloat16, "<f4"),
    "float8_e4m3": (ml_dtypes.float8_e4m3, "<f4"),
    "float6_e2m3fn": (ml_dtypes.float6_e2m3fn, "<f4"),
    "int4": (ml_dtypes.int4, "i1"),
    "uint2": (ml_dtypes.uint2, "u1"),
}
RECORD = np.dtype([("a", "<i4"), ("b", "<f2"), ("c", "?"), ("d", "S3"), ("e", "<i2", (2, 3)), ("z", "<c8")])


@pytest.mark.parametrize("kind", [*SAME, "S5", "V3", RECORD], ids=str)
def test_types_that_hdf5_has_are_bit_for_bit_the_same(kind: Any) -> None:
    data = values(kind, SHAPE).astype(np.dtype(kind).newbyteorder("<"))
    with opened(array_of(data)) as file:
        assert same(file["a"][...], data)
        assert "_zarrscope_data_type" not in file["a"].attrs
        assert file["a"].chunks is None


@pytest.mark.parametrize("netcdf", [False, True])
@pytest.mark.parametrize("name", SMALL)
def test_small_numbers_are_widened(name: str, netcdf: bool) -> None:
    dtype, wider = SMALL[name]
    data = (
        np.arange(15).reshape(SHAPE).astype("f4").astype(dtype)
        if "f" in name
        else np.arange(15).astype(dtype)
    )
    data = data.reshape(SHAPE)
    with opened(array_of(data, name), netcdf=netcdf) as file:
        assert same(file["a"][...], data.astype(wider))
        assert file["a"].attrs["_zarrscope_data_type"] in (name, name.encode())
        assert same(file["a"][1:4, 2], data.astype(wider)[1:4, 2])


@pytest.mark.parametrize("name", ["complex_bfloat16", "complex_float16"])
def test_small_complex_numbers_are_widened(name: str) -> None:
    with opened(array_of(np.array([1 + 2j, -0.5j]), name)) as file:
        assert same(file["a"][...], np.array([1 + 2j, -0.5j], "<c8"))


def test_text_is_utf8() -> None:
    data = np.array([["", "é", "漢字🧠"]], "<U3")
    with opened(array_of(data)) as file:
        assert file["a"].asstr()[...].tolist() == data.tolist()
        assert h5py_text(file["a"]) == ("utf-8", 12)
    with opened(array_of(data), netcdf=True) as file:
        assert file["a"].shape == (1, 3, 12)
        texts = file["a"][...].view("S12")[..., 0]
        assert np.strings.decode(texts, "utf-8").tolist() == data.tolist()
        assert file["a"].attrs["_Encoding"] == b"utf-8"


def h5py_text(dataset: h5py.Dataset) -> tuple[str, int]:
    kind = h5py.check_string_dtype(dataset.dtype)
    return kind.encoding, kind.length


def test_half_a_character_is_replaced() -> None:
    with opened(array_of(np.array(["a\ud800b", "c"]))) as file:
        assert file["a"].asstr()[...].tolist() == ["a?b", "c"]


@pytest.mark.parametrize(
    ("kind", "units"),
    [
        ("M8[ns]", "nanoseconds since 1970-01-01"),
        ("M8[D]", "days since 1970-01-01"),
        ("m8[ms]", "milliseconds"),
        ("m8[s]", "seconds"),
        ("M8[25s]", None),
        ("M8[M]", None),
    ],
)
@pytest.mark.parametrize("netcdf", [False, True])
def test_times_are_integers(kind: str, units: str | None, netcdf: bool) -> None:
    data = np.array([1, -3, np.iinfo("i8").min], "<i8").view(f"<{kind}")
    with opened(array_of(data), netcdf=netcdf) as file:
        assert same(file["a"][...], data.view("<i8"))
        told = file["a"].attrs.get("units")
        assert (told.decode() if isinstance(told, bytes) else told) == units
        assert file["a"].attrs["_FillValue"] == np.iinfo("i8").min
        assert np.dtype(kind).str[1:3] in ("M8", "m8")


@pytest.mark.parametrize("kind", ["float16", "bool", "complex64", "complex128", "S5", "V3"])
def test_netcdf_has_other_types(kind: str) -> None:
    data = values(kind, SHAPE).astype(np.dtype(kind).newbyteorder("<"))
    with np.errstate(all="ignore"):
        expected = {
            "float16": lambda: data.astype("<f4"),
            "bool": lambda: data.astype("i1"),
            "complex64": lambda: data.view("<f4").reshape(5, 3, 2),
            "complex128": lambda: data.view("<f8").reshape(5, 3, 2),
            "S5": lambda: data.view("S1").reshape(5, 3, 5),
            "V3": lambda: np.frombuffer(data.tobytes(), "u1").reshape(5, 3, 3),
        }[kind]()
    with opened(array_of(data, dimension_names=["y", "x"]), netcdf=True) as file:
        assert same(file["a"][...], expected)
        assert "_zarrscope_data_type" in file["a"].attrs
        assert file["a"].attrs.get("dtype") == (b"bool" if kind == "bool" else None)


def test_fields_of_types_that_hdf5_lacks_are_opaque() -> None:
    dtype = np.dtype([("t", "<M8[s]"), ("u", "<U2"), ("n", "u1")])
    data = np.array([(5, "aé", 7), (-1, "", 0)], dtype)
    with opened(array_of(data)) as file:
        found = file["a"][...]
        assert found["t"].tolist() == [5, -1]
        assert found["u"].tobytes() == data["u"].tobytes()
        assert found.dtype["u"] == np.dtype("V8")
        assert found.tobytes() == data.tobytes()


@pytest.mark.sampled(12)
@pytest.mark.parametrize("netcdf", [False, True])
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (1, 1, 1)])
@pytest.mark.parametrize("kind", ["int16", "S3", "complex64"])
def test_arrays_of_any_shape_are_readable(shape: tuple[int, ...], kind: str, netcdf: bool) -> None:
    data = values(kind, shape).astype(np.dtype(kind).newbyteorder("<"))
    with opened(array_of(data, chunks=tuple(2 for _ in shape)), netcdf=netcdf) as file:
        found = file["a"]
        assert found.shape[: len(shape)] == shape
        assert np.asarray(found[...]).tobytes() == data.tobytes()


@pytest.mark.parametrize(
    ("kind", "fill"), [("int16", -7), ("float32", np.nan), ("bool", True), ("complex64", 2j)]
)
def test_fill_values_are_those_of_the_array(kind: str, fill: Any) -> None:
    data = np.zeros((2,), kind)
    with opened(array_of(data, fill_value=fill)) as file:
        np.testing.assert_array_equal(file["a"].fillvalue, np.array(fill, kind))
