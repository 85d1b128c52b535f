"""Documents of Zarr v2: those that are read and those that are refused."""

import contextlib
import json
import subprocess
import sys
from pathlib import Path

import ml_dtypes
import netCDF4
import numcodecs
import numpy as np
import pytest
import tensorstore
import zarr
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from tests.core.metadata.documents import JSON
from tests.core.operations.copy.copying import copy
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.formats import Format
from zarrcore.hierarchy import BrokenNode
from zarrcore.metadata.data_type import parse_data_type
from zarrcore.metadata.fill_value import parse_fill_value
from zarrcore.stores import MemoryStore

V2_ARRAY = {
    "zarr_format": 2,
    "shape": [10],
    "chunks": [5],
    "dtype": "<f4",
    "compressor": None,
    "fill_value": 0,
    "order": "C",
    "filters": None,
}


@given(st.dictionaries(st.sampled_from([*V2_ARRAY, "dimension_separator"]), JSON, max_size=3))
def test_any_document_of_version_2_gives_metadata_or_our_error(members: dict) -> None:
    with contextlib.suppress(MetadataError, UnsupportedError):
        Format.V2.parse((json.dumps({**V2_ARRAY, **members}).encode(), None, None))


@pytest.mark.parametrize("filters", [[{"id": "pickle"}], [{"id": "delta", "dtype": "<f4"}, {"id": "pickle"}]])
def test_pickle_is_refused_by_name_in_every_position(filters: list) -> None:
    document = json.dumps({**V2_ARRAY, "filters": filters}).encode()
    with pytest.raises(UnsupportedError, match=r"pickle.*never decoded"):
        Format.V2.parse((document, None, None))
    document = json.dumps({**V2_ARRAY, "compressor": {"id": "pickle"}}).encode()
    with pytest.raises(UnsupportedError, match=r"pickle.*never decoded"):
        Format.V2.parse((document, None, None))


NO_ELEMENTS = [
    *("(2,3)<i4", "|S0", [], "(2,", ",", "|S2147483647", 5, None, {}),
    # Fields without bytes, which no data type of Zarr v3 can be.
    *([["a", "<i4"], ["b", "|S0"]], [["a", "<i4"], ["b", "<f4", [0]]], [["a", "<i4"], ["b", []]]),
    [["a", "<i4"], ["b", [["c", "<U0"], ["d", "|i1"]], [2]]],
]


@pytest.mark.parametrize("dtype", NO_ELEMENTS, ids=str)
def test_dtypes_that_cannot_be_elements_are_refused(dtype: object) -> None:
    with pytest.raises(MetadataError, match="dtype"):
        Format.V2.parse((json.dumps({**V2_ARRAY, "dtype": dtype}).encode(), None, None))


@pytest.mark.sampled(42)
@pytest.mark.parametrize("dtype", ["<i2", "|u1", "<f4", "<f8"])
@pytest.mark.parametrize(
    "spelled",
    [
        *(
            '"0"',
            '"255"',
            '"-1"',
            '"300"',
            "true",
            "false",
            '"1.5"',
            '"1e3"',
            '"nan"',
            '"Nan"',
            '"NaN"',
            '"NAN"',
        ),
        *('"inf"', '"-inf"', '"Infinity"', '"-Infinity"', '""', '"abc"', "300", "1.5", "null"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_a_fill_value_is_what_zarr_python_reads(dtype: str, spelled: str, tmp_path: Path) -> None:
    """IDR's images have "0", MoBIE's exporter writes "255", and others "nan" or true."""
    document = {**V2_ARRAY, "dtype": dtype, "shape": [1], "chunks": [1], "fill_value": "SPELLED"}
    (tmp_path / ".zarray").write_text(json.dumps(document).replace('"SPELLED"', spelled))
    node = zarrcore.open_hierarchy(tmp_path).node("/")
    try:
        expected = zarr.open_array(tmp_path, mode="r")[:]
    except (TypeError, ValueError, OverflowError):
        assert isinstance(node, BrokenNode)
    else:
        np.testing.assert_array_equal(node[:], expected)


@pytest.mark.parametrize(("spelled", "expected"), [(1.0, True), (0.0, False), (1, True), (True, True)])
def test_a_fill_value_of_truth_values_may_be_a_number(
    spelled: object, expected: bool, tmp_path: Path
) -> None:
    document = {**V2_ARRAY, "dtype": "|b1", "shape": [1], "chunks": [1], "fill_value": spelled}
    (tmp_path / ".zarray").write_text(json.dumps(document))
    assert zarrcore.open_hierarchy(tmp_path)["/"][:].tolist() == [expected]


def test_a_fill_value_past_every_float() -> None:
    assert float(parse_fill_value(10**400, parse_data_type("float64"))) == np.inf


@pytest.mark.parametrize("dtype", ["|O", "object", [["a", "|O"]]])
def test_python_objects_are_refused(dtype: object) -> None:
    with pytest.raises(UnsupportedError, match="Python objects"):
        Format.V2.parse((json.dumps({**V2_ARRAY, "dtype": dtype}).encode(), None, None))


def test_version_2_strings_read_as_strings(tmp_path: Path) -> None:
    values = np.array(["", "ä", "abc", "\U0001f600"], dtype=object)
    theirs = zarr.create_array(tmp_path / "x", shape=(4,), chunks=(3,), dtype=str, zarr_format=2)
    theirs[...] = values
    array = zarrcore.open_hierarchy(tmp_path / "x")["/"]
    assert isinstance(array, zarrcore.Array)
    assert array.data_type.name == "string"
    assert array[...].tolist() == values.tolist()


def test_small_numbers_of_tensorstores_version_2(tmp_path: Path) -> None:
    spec = {
        "driver": "zarr",
        "kvstore": {"driver": "file", "path": f"{tmp_path}/"},
        "metadata": {"dtype": "bfloat16", "shape": [3], "chunks": [2]},
        "create": True,
    }
    tensorstore.open(spec).result().write(np.array([1, 2.5, -3], ml_dtypes.bfloat16)).result()
    array = zarrcore.open_hierarchy(tmp_path)["/"]
    assert isinstance(array, zarrcore.Array)
    assert array[...].astype("f4").tolist() == [1, 2.5, -3]


@pytest.mark.parametrize("name", ["bfloat16", "int4", "float8_e5m2"])
def test_small_numbers_in_fields_of_tensorstores_version_2(name: str, tmp_path: Path) -> None:
    spec = {
        "driver": "zarr",
        "kvstore": {"driver": "file", "path": f"{tmp_path}/"},
        "metadata": {"dtype": [["a", name], ["b", "<i4", [2]]], "shape": [3], "chunks": [2]},
        "field": "a",
        "create": True,
    }
    tensorstore.open(spec).result().write(np.array([1, 2, -3], getattr(ml_dtypes, name))).result()
    read = f"import zarrcore; print(zarrcore.open_hierarchy({str(tmp_path)!r})['/'][...]['a'].astype('f4').tolist())"
    done = subprocess.run([sys.executable, "-c", read], check=True, capture_output=True, text=True)
    assert done.stdout == "[1.0, 2.0, -3.0]\n"  # in a process that has not imported ml_dtypes yet


def test_filters_of_small_numbers_are_refused_in_every_process() -> None:
    assert np.dtype("int4") == ml_dtypes.int4
    filters = [{"id": "fixedscaleoffset", "scale": 10, "offset": 1, "dtype": "<f4", "astype": "int4"}]
    document = json.dumps({**V2_ARRAY, "filters": filters}).encode()
    array = zarrcore.open_hierarchy(MemoryStore("", {".zarray": document}), format="v2").node("/")
    assert isinstance(array, BrokenNode)
    assert "astype: expected a NumPy dtype, found the string 'int4'" in str(array.error)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"_nczarr_array": {"dimension_references": ["/y", "/g/x"], "storage": "chunked"}}, ("y", "x")),
        ({"_nczarr_array": {"dimrefs": ["/y", "/_Anonymous_Dim_3"]}}, ("y", None)),
        ({"_NCZARR_ARRAY": {"dimrefs": ["/y", "/x"]}}, ("y", "x")),
        ({"_ARRAY_DIMENSIONS": ["a", "b"], "_nczarr_array": {"dimrefs": ["/y", "/x"]}}, ("a", "b")),
        ({"_nczarr_array": {"dimrefs": ["/y"]}}, None),
        ({"_nczarr_array": {"dimrefs": ["/y", 7]}}, None),
        ({"_nczarr_array": {"dimrefs": "yx"}}, None),
        ({"_nczarr_array": 7}, None),
    ],
)
def test_dimension_names_of_nczarr(attributes: dict, expected: tuple | None) -> None:
    array = {**V2_ARRAY, "shape": [2, 3], "chunks": [2, 3]}
    values = {".zarray": json.dumps(array).encode(), ".zattrs": json.dumps(attributes).encode()}
    assert zarrcore.open_hierarchy(MemoryStore(values=values))["/"].dimension_names == expected


def test_what_netcdf_writes(tmp_path: Path) -> None:
    with netCDF4.Dataset(f"file://{tmp_path}/a.zarr#mode=nczarr,file", "w") as file:
        file.createDimension("x", 3)
        group = file.createGroup("g")
        group.createDimension("y", 2)
        group.createVariable("v", "f4", ("y", "x"))[:] = [[1, 2, 3], [4, 5, 6]]
    attributes = tmp_path / "a.zarr" / "g" / "v" / ".zattrs"
    told = json.loads(attributes.read_text())
    assert told.pop("_ARRAY_DIMENSIONS") == ["y", "x"]
    attributes.write_text(json.dumps(told))
    array = zarrcore.open_hierarchy(tmp_path / "a.zarr")["g/v"]
    assert array.dimension_names == ("y", "x")
    assert array[...].tolist() == [[1, 2, 3], [4, 5, 6]]


def test_what_ncgen_writes(tmp_path: Path) -> None:
    """Its group below the root has no `_ARRAY_DIMENSIONS`, because the dimension is the root's."""
    text = "netcdf t { dimensions: y = 2 ; group: g { variables: short v(y) ; data: v = 5, 6 ; } }"
    (tmp_path / "t.cdl").write_text(text)
    url = f"file://{tmp_path}/a.zarr#mode=nczarr,file"
    subprocess.run(["ncgen", "-4", "-lb", "-o", url, tmp_path / "t.cdl"], check=True)
    array = zarrcore.open_hierarchy(tmp_path / "a.zarr")["g/v"]
    assert array.dimension_names == ("y",)
    assert array[...].tolist() == [5, 6]


def test_single_characters_are_bytes_of_length_1() -> None:
    values = {".zarray": json.dumps({**V2_ARRAY, "dtype": "c", "fill_value": "YQ=="}).encode()}
    array = zarrcore.open_hierarchy(MemoryStore(values=values))["/"]
    assert (array.dtype, array.dtype.char) == (np.dtype("S1"), "S")
    assert array[...].tolist() == [b"a"] * 10


def test_filters_that_view_elements_of_a_size_that_is_not_a_multiple() -> None:
    """Five bytes as numbers of two: NumPy views them only by way of single bytes."""
    filters = [{"id": "delta", "dtype": "<u2"}]
    document = {**V2_ARRAY, "shape": [4], "chunks": [4], "dtype": "|S5", "fill_value": "", "filters": filters}
    store = MemoryStore(values={".zarray": json.dumps(document).encode()})
    array = zarrcore.open_hierarchy(store, "r+")["/"]
    values = np.array([b"abcde", b"fghij", b"", b"xyz"])
    array[...] = values
    assert array[...].tolist() == values.tolist()
    assert (
        zarr.open_array(
            {
                key: zarr.core.buffer.default_buffer_prototype().buffer.from_bytes(bytes(store.get(key)))
                for key in (".zarray", "0")
            },
            mode="r",
        )[...].tolist()
        == values.tolist()
    )


@pytest.mark.skipif(
    np.dtype(np.longdouble).itemsize != 16, reason="this machine has no long double of 16 bytes"
)
@pytest.mark.parametrize("dtype", ["<f16", ">f16", "<c32"])
def test_long_doubles_are_rounded_as_by_numpy(dtype: str) -> None:
    values = (np.array([1.5, -2.25, np.inf, 0, 7], np.longdouble) / 3).astype(dtype)
    document = json.dumps({**V2_ARRAY, "shape": [5], "dtype": dtype, "fill_value": 1.5})
    store = MemoryStore("", {".zarray": document.encode(), "0": values.tobytes()})
    array = zarrcore.open_hierarchy(store)["/"]
    assert isinstance(array, zarrcore.Array)
    np.testing.assert_array_equal(array[...], values.astype(array.dtype))
    assert array.fill_value == 1.5
    copied = MemoryStore()
    copy(store, copied)
    root = zarr.open_array({key: _buffer(copied, key) for key in (".zarray", "0")}, mode="r")
    np.testing.assert_array_equal(root[...], values.astype(array.dtype))


def _buffer(store: MemoryStore, key: str) -> zarr.core.buffer.Buffer:
    return zarr.core.buffer.default_buffer_prototype().buffer.from_bytes(bytes(store.get(key) or b""))


@pytest.mark.parametrize("place", ["filters", "compressor"])
def test_base64_reads_as_with_zarr_python(tmp_path: Path, place: str) -> None:
    values = np.arange(10, dtype="<f4")
    codec = {"filters": [numcodecs.Base64()]} if place == "filters" else {"compressors": numcodecs.Base64()}
    zarr.create_array(tmp_path, data=values, chunks=(5,), zarr_format=2, **{"compressors": None, **codec})
    assert zarrcore.open_hierarchy(tmp_path)["/"].read().tolist() == zarr.open_array(tmp_path)[...].tolist()
