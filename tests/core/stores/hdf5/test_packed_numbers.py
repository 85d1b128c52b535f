"""Numbers with unusual bits, compared with what h5py reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.core.stores.hdf5 import files
from tests.core.stores.hdf5.written import written
from zarrcore.errors import UnsupportedError
from zarrcore.hierarchy.collections.collection import open_place
from zarrcore.stores.hdf5.datatype import Datatype, Kind
from zarrcore.stores.hdf5.packed_numbers import numbers, packed_number
from zarrcore.stores.hdf5.store import Hdf5Store

INTEGERS = {
    "i1": h5py.h5t.STD_I8LE,
    "i2": h5py.h5t.STD_I16LE,
    "u2": h5py.h5t.STD_U16BE,
    "i4": h5py.h5t.STD_I32BE,
    "u8": h5py.h5t.STD_U64LE,
    "i8": h5py.h5t.STD_I64BE,
}


def create(file: h5py.File, name: str, kind: h5py.h5t.TypeID, values: Any, *, nbit: bool = False) -> None:
    """A dataset of a type that h5py has no name for."""
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    values = np.asarray(values)
    if nbit:
        plist.set_chunk((min(7, len(values)),))
        plist.set_filter(h5py.h5z.FILTER_NBIT, h5py.h5z.FLAG_OPTIONAL)
    made = h5py.h5d.create(file.id, name.encode(), kind, h5py.h5s.create_simple(values.shape), plist)
    made.write(h5py.h5s.ALL, h5py.h5s.ALL, values)


@settings(max_examples=40)
@given(data=st.data())
def test_integers_of_any_bits(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([*INTEGERS]))
    bits = 8 * np.dtype(name).itemsize
    # The HDF5 library makes no types of so few bits that fewer bytes would do.
    precision = data.draw(st.integers(1 if bits == 8 else bits // 2 + 1, bits))
    kind = INTEGERS[name].copy()
    kind.set_precision(precision)
    kind.set_offset(data.draw(st.integers(0, bits - precision)))
    least = -(1 << precision - 1) if name[0] == "i" else 0
    numbers = st.lists(st.integers(least, least + (1 << precision) - 1), min_size=1, max_size=20)
    values = np.array(data.draw(numbers), name)
    nbit = data.draw(st.booleans())
    file = written(lambda file: create(file, "a", kind, values, nbit=nbit))
    found = open_place(Hdf5Store(file.reader.source, "a.h5", "memory://a.h5"))["a"]
    assert found.dtype == np.dtype(name).newbyteorder("<")
    assert found[...].tolist() == values.tolist()


def test_integers_of_three_bytes(tmp_path: Path) -> None:
    """h5py has no type for them."""
    kind = h5py.h5t.STD_I32BE.copy()
    kind.set_precision(24)
    kind.set_size(3)
    values = np.array([[-(2**23), -1], [5, 2**23 - 1]])
    with h5py.File(tmp_path / "a.h5", "w") as file:
        create(file, "a", kind, values)
    with zarrcore.open_hierarchy(tmp_path / "a.h5") as hierarchy:
        assert (hierarchy["a"].dtype, hierarchy["a"][...].tolist()) == (np.dtype("i4"), values.tolist())


def float_type(base: Any, exponent: int, mantissa: int, bias: int, offset: int = 0) -> h5py.h5t.TypeID:
    """A floating-point type of some bits."""
    kind = base.copy()
    kind.set_fields(offset + exponent + mantissa, offset + mantissa, exponent, offset, mantissa)
    kind.set_offset(offset)
    kind.set_precision(1 + exponent + mantissa)
    kind.set_size(base.get_size())  # the library made it larger
    kind.set_ebias(bias)
    return kind


FLOATS = {
    "float16": float_type(h5py.h5t.IEEE_F16LE, 4, 6, 7, 3),
    "float32": float_type(h5py.h5t.IEEE_F32LE, 7, 15, 63, 9),
    "float64": float_type(h5py.h5t.IEEE_F32BE, 8, 20, 150),
    "of 8 bytes": float_type(h5py.h5t.IEEE_F64BE, 9, 40, 255, 11),
}


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize("nbit", [False, True])
def test_floating_point_numbers_of_any_bits(tmp_path: Path, name: str, nbit: bool) -> None:
    values = np.concatenate(
        [[0, -0.0, 1, -1.5, np.inf, -np.inf, 1e-3, -1e-12, 1e4], np.geomspace(1e-46, 1e40, 200)]
    )
    with h5py.File(tmp_path / "a.h5", "w") as file:
        create(file, "a", FLOATS[name], values, nbit=nbit)
        if name in ("float16", "float32", "float64"):
            assert file["a"].dtype.name == name
    assert files.assert_same(tmp_path / "a.h5") == 1


@pytest.mark.skipif(np.finfo(np.longdouble).nmant != 63, reason="long double is that of x86 elsewhere")
def test_long_doubles_are_rounded_as_h5py_rounds_them(tmp_path: Path) -> None:
    source = np.random.default_rng(0)
    words = np.zeros((20_000, 2), "u8")
    words[:, 0] = source.integers(0, 2**63, len(words), "u8") | np.uint64(2**63)
    # As near as two numbers of 53 bits, and of fewer in the smallest ones.
    words[1000:3000, 0] &= np.uint64(2**64 - 2**10)
    words[3000:5000, 0] &= np.uint64(2**64 - 2**40)
    words[:, 1] = (
        source.integers(16383 - 1090, 16383 + 1030, len(words)) | source.integers(0, 2, len(words)) << 15
    )
    special = [0, -0.0, 1, np.inf, -np.inf, np.nan, np.finfo("f8").max, np.finfo("f8").tiny]
    values = np.concatenate([words.view("u1").view(np.longdouble)[:, 0], np.array(special, np.longdouble)])
    with h5py.File(tmp_path / "a.h5", "w") as file:
        made = file.create_dataset("a", data=values, chunks=(999,), compression="gzip")
        made.attrs["third"] = np.longdouble(1) / 3
        record = np.array([(1, np.pi)], [("i", "i4"), ("long", np.longdouble)])
        file["record"] = record
    with h5py.File(tmp_path / "a.h5") as file, np.errstate(over="ignore"):
        wanted = file["a"].astype("f8")[...]
    with zarrcore.open_hierarchy(tmp_path / "a.h5") as hierarchy:
        assert hierarchy["a"].dtype == np.dtype("<f8")
        np.testing.assert_array_equal(hierarchy["a"][...], wanted)
        assert np.array_equal(np.signbit(hierarchy["a"][-8:-1]), np.signbit(wanted[-8:-1]))
        assert hierarchy["a"].attributes == {"third": 1 / 3}
        assert hierarchy["record"][...].tolist() == [(1, float(np.pi))]


def test_fill_values_attributes_and_fields(tmp_path: Path) -> None:
    kind = h5py.h5t.STD_I16LE.copy()
    kind.set_precision(11)
    kind.set_offset(5)
    record = h5py.h5t.create(h5py.h5t.COMPOUND, 12)
    record.insert(b"a", 1, kind)
    record.insert(b"b", 4, h5py.h5t.array_create(kind, (3,)))
    with h5py.File(tmp_path / "a.h5", "w") as file:
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_fill_value(np.array(-7, "i2"))
        made = h5py.h5d.create(file.id, b"a", kind, h5py.h5s.create_simple((3,)), plist)
        at = h5py.h5a.create(made, b"one", kind, h5py.h5s.create_simple((2,)))
        at.write(np.array([-3, 1000], "i2"))
        create(file, "record", record, np.array([(-5, [1, -2, 3])], [("a", "i2"), ("b", "i2", (3,))]))
    with zarrcore.open_hierarchy(tmp_path / "a.h5") as hierarchy:
        assert hierarchy["a"].fill_value == -7
        assert hierarchy["a"][...].tolist() == [-7, -7, -7]
        assert hierarchy["a"].attributes == {"one": [-3, 1000]}
        record = hierarchy["record"][...]
        assert (record["a"].tolist(), record["b"].tolist()) == ([-5], [[1, -2, 3]])


@pytest.mark.parametrize("fill", [7.5, np.nan, -np.inf])
def test_bfloat16_in_fill_values_attributes_and_fields(tmp_path: Path, fill: float) -> None:
    """The HDF5 library converts the values of float32 that it is given."""
    kind, read = float_type(h5py.h5t.IEEE_F16LE, 8, 7, 127), h5py.h5t.NATIVE_FLOAT
    bits = h5py.h5t.STD_U16LE.copy()
    bits.set_precision(9)
    dtype = np.dtype([("a", "f4"), ("b", "f4", (2,)), ("c", "u2")])
    record, of_memory = (h5py.h5t.create(h5py.h5t.COMPOUND, size) for size in (10, dtype.itemsize))
    record.insert(b"a", 1, kind)
    record.insert(b"b", 3, h5py.h5t.array_create(kind, (2,)))
    record.insert(b"c", 8, bits)
    of_memory.insert(b"a", 0, read)
    of_memory.insert(b"b", 4, h5py.h5t.array_create(read, (2,)))
    of_memory.insert(b"c", 12, h5py.h5t.NATIVE_UINT16)
    element = np.array((2.5, [fill, -1], 300), dtype)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for name, stored, value in (("a", kind, np.float32(fill)), ("record", record, element)):
            plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            plist.set_fill_value(np.asarray(value))
            h5py.h5d.create(file.id, name.encode(), stored, h5py.h5s.create_simple((3,)), plist)
        space = h5py.h5s.create_simple((2,))
        h5py.h5a.create(file.id, b"numbers", kind, space).write(np.array([2.5, -1], "f4"), read)
        space = h5py.h5s.create(h5py.h5s.SCALAR)
        h5py.h5a.create(file.id, b"record", record, space).write(
            np.array((2.5, [7.5, -1], 300), dtype), of_memory
        )
    with zarrcore.open_hierarchy(tmp_path / "a.h5") as hierarchy:
        np.testing.assert_array_equal(hierarchy["a"][...].astype("f4"), np.full(3, fill, "f4"))
        found = hierarchy["record"][...]
        assert found.dtype == dtype
        assert found.tobytes() == np.full(3, element).tobytes()
        assert hierarchy["/"].attributes == {
            "numbers": [2.5, -1],
            "record": {"a": 2.5, "b": [7.5, -1], "c": 300},
        }


def test_numbers_that_numpy_cannot_hold_say_so(tmp_path: Path) -> None:
    wide = h5py.h5t.STD_I64LE.copy()
    wide.set_size(12)
    wide.set_precision(90)
    quadruple = h5py.h5t.IEEE_F64LE.copy()
    quadruple.set_size(16)
    quadruple.set_precision(128)
    quadruple.set_fields(127, 112, 15, 0, 112)
    quadruple.set_ebias(16383)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        for name, kind in (("wide", wide), ("quadruple", quadruple)):
            h5py.h5d.create(file.id, name.encode(), kind, h5py.h5s.create_simple((3,)))
    with zarrcore.open_hierarchy(tmp_path / "a.h5") as hierarchy:
        for name, why in (
            ("wide", "integers of 90 bits in 12 bytes"),
            ("quadruple", "numbers of 16 bytes that no type"),
        ):
            with pytest.raises(UnsupportedError, match=why):
                hierarchy[name]


@given(st.binary(min_size=12, max_size=12), st.integers(1, 9), st.booleans(), st.integers(0, 2**24 - 1))
def test_any_type_is_read_or_refused(properties: bytes, nbytes: int, is_float: bool, bits: int) -> None:
    kind = Datatype(Kind.FLOAT if is_float else Kind.INTEGER, nbytes, properties=properties, bits=bits)
    packed = packed_number(kind)
    if packed is not None:
        assert len(numbers(np.full((3, nbytes), 0xA5, "u1"), packed)) == 3


@pytest.mark.parametrize("nbit", [False, True])
@pytest.mark.parametrize("base", [h5py.h5t.STD_I8LE, h5py.h5t.STD_I16BE, h5py.h5t.STD_U32LE])
def test_enumerations_of_few_bits(tmp_path: Path, base: Any, nbit: bool) -> None:
    kind = base.copy()
    kind.set_precision(8 * kind.get_size() // 2 + 3)
    stored, read = h5py.h5t.enum_create(kind), h5py.h5t.enum_create(h5py.h5t.NATIVE_INT64)
    members = {b"x": -3, b"y": 5, b"z": 0} if base.get_sign() else {b"x": 3, b"y": 5, b"z": 0}
    for name, value in members.items():
        stored.enum_insert(name, value)
        read.enum_insert(name, value)
    values = np.array([*members.values(), 5], "i8")
    with h5py.File(tmp_path / "a.h5", "w") as file:
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk((4,))
        if nbit:
            plist.set_filter(h5py.h5z.FILTER_NBIT, h5py.h5z.FLAG_OPTIONAL)
        h5py.h5d.create(file.id, b"a", stored, h5py.h5s.create_simple((4,)), plist)
        # The library converts enumerations by the names of their members.
        h5py.h5d.open(file.id, b"a").write(h5py.h5s.ALL, h5py.h5s.ALL, values, mtype=read)
        found = np.zeros(4, "i8")
        h5py.h5d.open(file.id, b"a").read(h5py.h5s.ALL, h5py.h5s.ALL, found, mtype=read)
        expected = [read.enum_nameof(value) for value in found.tolist()]
    array = zarrcore.open_hierarchy(tmp_path / "a.h5")["a"]
    assert isinstance(array, zarrcore.Array)
    names = dict(zip(array.attributes["flag_values"], array.attributes["flag_meanings"].split(), strict=True))
    assert [names[value].encode() for value in array.read().tolist()] == expected


@pytest.mark.skipif(np.finfo(np.longdouble).nmant != 63, reason="long double is that of x86 elsewhere")
def test_long_doubles_of_12_bytes_are_rounded_as_h5py_rounds_them(tmp_path: Path) -> None:
    kind = h5py.h5t.NATIVE_LDOUBLE.copy()
    kind.set_size(12)
    values = np.array([1.5, -2.25, np.inf, 0, 7e300, 1e-310], np.longdouble) / 3
    with h5py.File(tmp_path / "a.h5", "w") as file:
        made = h5py.h5d.create(file.id, b"a", kind, h5py.h5s.create_simple(values.shape))
        made.write(h5py.h5s.ALL, h5py.h5s.ALL, values, mtype=h5py.h5t.NATIVE_LDOUBLE)
        expected = np.zeros(values.shape)
        made.read(h5py.h5s.ALL, h5py.h5s.ALL, expected, mtype=h5py.h5t.NATIVE_DOUBLE)
    np.testing.assert_array_equal(zarrcore.open_hierarchy(tmp_path / "a.h5")["a"].read(), expected)


@pytest.mark.parametrize(
    ("at", "value", "reason"),
    [
        (1, 0x10, "that no type of IEEE 754"),  # a highest bit that is stored
        (2, 30, "overlap"),  # the sign
        (12, 22, "overlap"),  # the exponent
        (13, 0, "no exponent"),
        (14, 1, "overlap"),  # the mantissa
        (15, 0, "no mantissa"),
    ],
)
def test_floating_point_numbers_with_odd_parts_are_not_taken_for_usual_ones(
    tmp_path: Path, at: int, value: int, reason: str
) -> None:
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(3, dtype="<f4")
    data = bytearray(path.read_bytes())
    start = data.index(b"\x11\x20\x1f\0\4\0\0\0\0\0\x20\0")
    data[start + at] = value
    path.write_bytes(data)
    with zarrcore.open_hierarchy(path) as hierarchy, pytest.raises(UnsupportedError, match=reason):
        hierarchy["x"]
    with h5py.File(path) as file, pytest.raises((KeyError, OSError)):
        file["x"][...]
