"""Each data type that zarr-python registers, in versions 2 and 3 and both directions, with every kind of fill value."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
import zarr.dtype
from zarr.core.dtype import data_type_registry

import zarrcore
from tests.hierarchies import values
from tests.zarr_python import configured
from zarrcore.errors import UnsupportedError
from zarrcore.typing import AnyArray

Array = AnyArray
UNITS = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as")
NESTED = [("s", "S3"), ("u", "<U2"), ("when", "<M8[10s]"), ("inner", [("z", "?"), ("f", "<f2")])]
RECORDS: list[Any] = [
    [("one", "u1")],
    [("a", "<i2"), ("b", "<f8"), ("c", "<c8")],
    [("a", ">i4"), ("in", NESTED), ("raw", "V3"), ("span", "<m8[ns]")],
]
EXAMPLES: dict[str, list[Any]] = {
    "bool": ["?"],
    **{f"{kind}{8 * size}": [f"<{kind[0]}{size}", f">{kind[0]}{size}"] for kind in ("int", "uint") for size in (1, 2, 4, 8)},
    **{f"float{bits}": [f"<f{bits // 8}", f">f{bits // 8}"] for bits in (16, 32, 64)},
    **{f"complex{bits}": [f"<c{bits // 8}", f">c{bits // 8}"] for bits in (64, 128)},
    "fixed_length_utf32": ["<U1", "<U3", ">U3"],
    "null_terminated_bytes": ["S1", "S4"],
    "raw_bytes": ["V1", "V5"],
    "numpy.datetime64": ["<M8", *(f"<M8[{unit}]" for unit in UNITS), "<M8[25s]", ">M8[10D]"],
    "numpy.timedelta64": ["<m8", *(f"<m8[{7 + scale}{unit}]" for scale, unit in enumerate(UNITS)), ">m8[ns]"],
    "struct": RECORDS,
    "structured": RECORDS,
}  # fmt: skip
"""NumPy's types by the name of the type in Zarr v3."""

OF_VARIABLE_LENGTH = {"string", "variable_length_bytes"}
REGISTERED = sorted(set(data_type_registry.contents) - OF_VARIABLE_LENGTH)


def fill_values(dtype: np.dtype[Any]) -> list[Array]:
    """Elements at the ends of the range, and those that JSON has no numbers for."""
    match dtype.kind:
        case "b":
            found: Any = [False, True]
        case "i" | "u":
            found = [np.iinfo(dtype).min, np.iinfo(dtype).max, 7]
        case "f":
            largest, least = np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal
            found = [np.nan, np.inf, -np.inf, -0.0, 0.1, largest, -largest, least]
        case "c":
            found = [complex(np.nan, -np.inf), complex(-0.0, 0.1), complex(np.inf, np.nan), 1 + 2j]
        case "M" | "m":
            return [np.array(count, "i8").view(native(dtype)) for count in (-(2**63), 5, -(2**62))]
        case "U":
            found = ["", "é" * (dtype.itemsize // 4), "🧠"]
        case "S":
            found = [b"", b"x" * dtype.itemsize, b"\xff"]
        case _ if dtype.names is None:
            return [
                np.array(raw, dtype)
                for raw in (bytes(dtype.itemsize), bytes(range(250 - dtype.itemsize, 250)))
            ]
        case _:
            parts = {name: fill_values(dtype[name]) for name in dtype.names}
            found = [tuple(part[number % len(part)] for part in parts.values()) for number in range(3)]
    return [np.array(element, native(dtype)) for element in found]


def native(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return dtype.newbyteorder("=")


CASES = [
    pytest.param(name, code, id=f"{name}-{RECORDS.index(code) if isinstance(code, list) else code}")
    for name in REGISTERED
    for code in EXAMPLES.get(name, [None])
]


@pytest.fixture(params=[3, 2])
def zarr_format(request: pytest.FixtureRequest) -> int:
    return int(request.param)


def expected(dtype: np.dtype[Any], fill: Array) -> Array:
    """The elements under test: a chunk of any bits, and one that is not stored."""
    return np.concatenate([values(dtype, (3,)).astype(native(dtype)), np.full(3, fill, native(dtype))])


def written_by_zarr_python(path: Path, dtype: np.dtype[Any], fill: Array, zarr_format: int) -> Array:
    """What zarr-python was to write at ``path``; skips the test if it does not read that back itself."""
    wanted = expected(dtype, fill)
    with configured():
        try:
            options = {
                "dtype": dtype,
                "fill_value": fill[()],
                "compressors": None,
                "zarr_format": zarr_format,
            }
            zarr.create_array(path, shape=wanted.shape, chunks=(3,), **options)[:3] = wanted[:3]
            found = np.asarray(zarr.open_array(path, mode="r")[...])
        except (TypeError, ValueError) as error:
            pytest.skip(f"zarr-python without {dtype} in version {zarr_format}: {error}")
    if found.astype(native(dtype)).tobytes() != wanted.tobytes():
        pytest.skip(f"zarr-python that reads back its own {dtype} in version {zarr_format}")
    return wanted


@pytest.mark.sampled(axes=["name", "zarr_format"])
@pytest.mark.parametrize(("name", "code"), CASES)
def test_elements_and_fill_values_in_both_directions(
    name: str, code: Any, zarr_format: int, tmp_path: Path
) -> None:
    if code is None:
        pytest.skip(f"no examples of zarr-python's data type {name}")
    dtype = np.dtype(code)
    hierarchy = zarrcore.create(tmp_path / "ours", format=f"v{zarr_format}")
    for number, fill in enumerate(fill_values(dtype)):
        wanted = written_by_zarr_python(tmp_path / str(number), dtype, fill, zarr_format)
        array = zarrcore.open_hierarchy(tmp_path / str(number))["/"]
        assert array.dtype == native(dtype)
        assert array[...].tobytes() == wanted.tobytes()
        assert np.asarray(array.fill_value, array.dtype).tobytes() == fill.tobytes()
        if dtype.names and zarr_format == 3 and not hasattr(zarr.dtype, "Struct"):
            continue  # it only knows the older name, structured, which we do not write
        ours = hierarchy.create_array(
            str(number), shape=wanted.shape, chunks=(3,), dtype=dtype, fill_value=fill
        )
        ours[:3] = wanted[:3]
        with configured():
            found = np.asarray(zarr.open_array(tmp_path / "ours" / str(number), mode="r")[...])
        assert found.dtype == native(dtype)
        assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("name", sorted(OF_VARIABLE_LENGTH & set(data_type_registry.contents)))
def test_elements_of_variable_length_in_both_directions(name: str, zarr_format: int, tmp_path: Path) -> None:
    words: list[Any] = ["", "naïve", "nul\0in", "🧠" * 40, "x", "fill", "fill", "fill"]
    if name != "string":
        words = [word.encode() + b"\xff" * (word == "x") for word in words]
    dtype = data_type_registry.contents[name]()
    with configured():
        theirs = zarr.create_array(
            tmp_path / "a",
            shape=(8,),
            chunks=(3,),
            dtype=dtype,
            fill_value=words[-1],
            zarr_format=zarr_format,
        )
        theirs[:6] = np.array(words[:6], object)
        assert theirs[...].tolist() == words
    array = zarrcore.open_hierarchy(tmp_path / "a", mode="r+")["/"]
    assert array[...].tolist() == words
    assert array.fill_value == words[-1]
    array[:3] = np.array(words[3:6], object)
    options = {"dtype": name, "fill_value": words[1] if name == "string" else list(words[1])}
    made = zarrcore.create(tmp_path / "b", format=f"v{zarr_format}").create_array(
        "x", shape=(8,), chunks=(3,), **options
    )
    made[:6] = np.array(words[:6], object)
    with configured():
        assert zarr.open_array(tmp_path / "a", mode="r")[...].tolist() == [*words[3:6], *words[3:]]
        read = zarr.open_array(tmp_path / "b/x", mode="r")[...]
    assert read.tolist() == [*words[:6], words[1], words[1]]


PAYLOADS = {
    "<f2": (0x7E05, 0xFE00, 0x7D01),
    "<f4": (0x7FC12345, 0xFFC00000, 0x7F812345),
    "<f8": (0x7FF8000000000005, 0xFFF8000000000000, 0x7FF0000000000001),
}


@pytest.mark.parametrize("code", PAYLOADS)
def test_the_bits_of_nan_are_kept(code: str, tmp_path: Path) -> None:
    """The specification gives NaNs a hexadecimal spelling so that readers keep their bits: ours does.

    zarr-python reads the spelling through a Python float, which may make a signalling NaN quiet, and lose the bits of a
    float16. Itself it writes "NaN" for all of them. Version 2 has no such spelling, so ours refuses to write it.
    """
    dtype = np.dtype(code)
    for bits in PAYLOADS[code]:
        fill = np.array(bits, f"<u{dtype.itemsize}").view(dtype)
        quiet = bits | 1 << np.finfo(dtype).nmant - 1
        hierarchy = zarrcore.create(tmp_path / str(bits))
        hierarchy.create_array("a", shape=(2,), dtype=dtype, fill_value=fill)
        assert zarrcore.open_hierarchy(tmp_path / str(bits))["a"][...].tobytes() == fill.tobytes() * 2
        document = json.loads((tmp_path / str(bits) / "a/zarr.json").read_text())
        assert document["fill_value"] == f"0x{bits:0{2 * dtype.itemsize}x}"
        with configured():
            theirs = np.asarray(zarr.open_array(tmp_path / str(bits) / "a", mode="r")[...])
        assert np.isnan(theirs).all()
        if dtype.itemsize > 2:
            assert set(theirs.view(f"<u{dtype.itemsize}").tolist()) <= {bits, quiet}
        with pytest.raises(UnsupportedError, match="NaN with unusual bits"):
            zarrcore.create(tmp_path / f"{bits}-2", format="v2").create_array(
                "a", shape=(2,), dtype=dtype, fill_value=fill
            )


PAIR = [{"name": "a", "data_type": "int16"}, {"name": "b", "data_type": "float32"}]
SPELLINGS = [
    ("float16", "0x3c00", "003c"),
    ("float32", "0x40490fdb", "db0f4940"),
    ("float64", "Infinity", "000000000000f07f"),
    ("float64", "0xbff0000000000000", "000000000000f0bf"),
    ("float32", 1, "0000803f"),
    ("complex64", ["0x3f800000", "-Infinity"], "0000803f000080ff"),
    ("complex128", [1, -0.5], "000000000000f03f000000000000e0bf"),
    ("bytes", "/wA=", "ff00"),
    ({"name": "raw_bytes", "configuration": {"length_bytes": 3}}, "AQID", "010203"),
    ({"name": "null_terminated_bytes", "configuration": {"length_bytes": 4}}, "YWI=", "61620000"),
    ({"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}}, "é", "e900000000000000"),
    ({"name": "numpy.datetime64", "configuration": {"unit": "s", "scale_factor": 10}}, "NaT", "0000000000000080"),
    ({"name": "numpy.datetime64", "configuration": {"unit": "μs", "scale_factor": 1}}, 7, "0700000000000000"),
    ({"name": "numpy.timedelta64", "configuration": {"unit": "generic", "scale_factor": 1}}, -1, "ff" * 8),
    ({"name": "struct", "configuration": {"fields": PAIR}}, {"a": 1, "b": "0x40490fdb"}, "0100db0f4940"),
    ({"name": "struct", "configuration": {"fields": PAIR}}, "AQDbD0lA", "0100db0f4940"),
    ({"name": "structured", "configuration": {"fields": [["a", "int16"], ["b", "bool"]]}}, "AQAB", "010001"),
]  # fmt: skip
"""Data type and fill value as documents spell them, and the bytes of the element."""


@pytest.mark.parametrize(("data_type", "fill_value", "expected"), SPELLINGS, ids=str)
def test_spellings_of_fill_values_mean_the_same_to_both(
    data_type: Any, fill_value: Any, expected: str, tmp_path: Path
) -> None:
    document = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [2],
        "data_type": data_type,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": fill_value,
        "codecs": [{"name": "vlen-bytes"} if data_type == "bytes" else {"name": "bytes", "configuration": {"endian": "little"}}],
        "attributes": {},
    }  # fmt: skip
    (tmp_path / "zarr.json").write_text(json.dumps(document))
    found = zarrcore.open_hierarchy(tmp_path)["/"][...]
    assert (found[0] if data_type == "bytes" else found[:1].tobytes()) == bytes.fromhex(expected)
    with configured():
        try:
            theirs = np.asarray(zarr.open_array(tmp_path, mode="r")[...])
        except (TypeError, ValueError) as error:
            pytest.skip(f"zarr-python without this spelling: {error}")
    assert theirs.tolist() == found.tolist()
