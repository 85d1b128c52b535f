"""Metadata documents: what is read, what is refused, and in which words."""

import contextlib
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.formats import Format
from zarrcore.metadata import ArrayMetadata
from zarrcore.metadata.data_type import data_type_of, parse_data_type
from zarrcore.metadata.fill_value import fill_value_document, parse_fill_value
from zarrcore.metadata.json_document import format_json, parse_json_object

ARRAY = {
    "zarr_format": 3,
    "node_type": "array",
    "shape": [10, 20],
    "data_type": "float32",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [5, 5]}},
    "chunk_key_encoding": {"name": "default"},
    "fill_value": "NaN",
    "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
}


def parse(**members: object) -> ArrayMetadata:
    document = {name: value for name, value in {**ARRAY, **members}.items() if value is not ...}
    node = Format.V3.parse((json.dumps(document).encode(),))
    assert isinstance(node, ArrayMetadata)
    return node


def test_the_specifications_example() -> None:
    node = parse()
    assert node.shape == (10, 20)
    assert node.chunk_grid.chunk_shape == (5, 5)
    assert node.chunk_key_encoding.encode((1, 2)) == "c/1/2"
    assert np.isnan(node.fill_value)


@pytest.mark.parametrize(
    ("members", "kind", "words"),
    [
        ({"shape": ...}, MetadataError, "shape: the member is missing"),
        ({"shape": [10, -1]}, MetadataError, r"shape\[1\]: expected at least 0, found -1"),
        ({"shape": "ten"}, MetadataError, "expected an array of integers, found the string 'ten'"),
        ({"shape": [10, 20, 30]}, MetadataError, "expected 3 lengths, one per dimension of shape, found 2"),
        ({"shape": [2**40, 2**40]}, MetadataError, "cannot be addressed"),
        ({"shape": [0, 2**63]}, MetadataError, "cannot be addressed"),
        ({"shape": [1] * 100}, MetadataError, "dimension"),
        (
            {"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [0, 5]}}},
            MetadataError,
            "length of 0",
        ),
        ({"chunk_grid": {"name": "hexagonal"}}, UnsupportedError, "chunk grid 'hexagonal' is not supported"),
        ({"chunk_key_encoding": {"name": "fancy"}}, UnsupportedError, "chunk key encoding 'fancy'"),
        ({"data_type": "float99"}, UnsupportedError, "data type 'float99'"),
        ({"data_type": 7}, MetadataError, "data_type: expected an object with a name, found the number 7"),
        ({"fill_value": "seven"}, MetadataError, "fill_value: expected an element of type float32"),
        ({"codecs": {}}, MetadataError, "codecs: expected an array"),
        ({"codecs": [{"name": "mystery"}]}, UnsupportedError, "codec 'mystery' is not supported"),
        ({"codecs": [{"name": "numcodecs.pickle"}]}, UnsupportedError, "never decoded"),
        ({"dimension_names": ["y"]}, MetadataError, "dimension_names: expected an array of 2"),
        ({"attributes": [1]}, MetadataError, "attributes: expected an object"),
        ({"storage_transformers": 5}, MetadataError, "storage_transformers: expected an array"),
        (
            {"data_type": {"name": "raw_bytes", "configuration": {"length_bytes": 0}}},
            MetadataError,
            "of 0 bytes",
        ),
        (
            {"data_type": {"name": "numpy.datetime64", "configuration": {"unit": []}}},
            MetadataError,
            "a unit of time",
        ),
        ({"fill_value": {"a": 1}}, MetadataError, "fill_value"),
        ({"storage_transformers": [{"name": "magic"}]}, UnsupportedError, "storage transformer 'magic'"),
        ({"novelty": {"a": 1}}, UnsupportedError, "member 'novelty' is unknown and may not be ignored"),
        ({"node_type": "tree"}, MetadataError, "expected 'array' or 'group'"),
        ({"zarr_format": 4}, MetadataError, "zarr_format: expected 3, found the number 4"),
    ],
)
def test_errors_of_broken_documents_say_what_and_where(
    members: dict, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        parse(**members)


def test_extensions_that_may_be_ignored_are_ignored() -> None:
    assert parse(novelty={"must_understand": False, "a": 1}).shape == (10, 20)


def test_short_names_of_version_3_1() -> None:
    assert [codec.name for codec in parse(codecs=["bytes", "crc32c"]).codecs] == ["bytes", "crc32c"]


@pytest.mark.parametrize("codecs", [..., [], [{"name": "gzip", "configuration": {"level": 1}}]])
def test_documents_before_july_2023_mean_the_bytes_codec(codecs: object) -> None:
    assert "bytes" in [codec.name for codec in parse(codecs=codecs).codecs]
    assert parse(codecs=codecs).codecs[0].name == "bytes"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"[1]", "expected a JSON object, found an array of 1"),
        (b"{", "expected a JSON object"),
        (b"\xff\xfe", "UTF-8"),
        (b'{"a": 1, "a": 2}', "occurs twice"),
        (b'{"a":' + b"[" * 200 + b"]" * 200 + b"}", "deeper than 100"),
        (b'{"a":"' + b"x" * (65 << 20) + b'"}', "exceeds the 64 MiB"),
    ],
)
def test_invalid_json_is_refused(text: bytes, words: str) -> None:
    with pytest.raises(MetadataError, match=words):
        parse_json_object(text)


def test_brackets_within_strings_do_not_count_as_depth() -> None:
    assert parse_json_object(json.dumps({"a": "[" * 500 + '"' + "{" * 500}).encode())["a"].startswith("[[")


def test_bare_nan_is_read_and_never_written() -> None:
    document = parse_json_object(b'{"a": NaN, "b": [Infinity, -Infinity]}')
    assert json.loads(format_json(document)) == {"a": "NaN", "b": ["Infinity", "-Infinity"]}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from([*ARRAY, "attributes", "dimension_names", "x"]), JSON, max_size=4))
def test_any_document_gives_metadata_or_our_error(members: dict) -> None:
    with contextlib.suppress(MetadataError, UnsupportedError):
        parse(**members)


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


@pytest.mark.parametrize("dtype", ["(2,3)<i4", "|S0", [], "(2,", ",", "|S2147483647", 5, None, {}])
def test_dtypes_that_cannot_be_elements_are_refused(dtype: object) -> None:
    with pytest.raises(MetadataError, match="dtype"):
        Format.V2.parse((json.dumps({**V2_ARRAY, "dtype": dtype}).encode(), None, None))


def test_a_fill_value_past_every_float() -> None:
    assert float(parse_fill_value(10**400, parse_data_type("float64"))) == np.inf


@pytest.mark.parametrize("dtype", ["|O", "object", [["a", "|O"]]])
def test_python_objects_are_refused(dtype: object) -> None:
    with pytest.raises(UnsupportedError, match="Python objects"):
        Format.V2.parse((json.dumps({**V2_ARRAY, "dtype": dtype}).encode(), None, None))


@pytest.mark.parametrize(
    ("name", "value", "bits"),
    [
        ("float32", "NaN", 0x7FC00000),
        ("float32", "0x7fc0dead", 0x7FC0DEAD),
        ("float32", "0xff800001", 0xFF800001),
        ("float32", "+Infinity", 0x7F800000),
        ("float32", "-Infinity", 0xFF800000),
        ("float32", -0.0, 0x80000000),
        ("float32", 1e300, 0x7F800000),
        ("float32", 16777217, 0x4B800000),
        ("float32", "0b01111111110000000000000000000001", 0x7FC00001),
        ("int32", -1, 0xFFFFFFFF),
        ("uint32", 4294967295, 0xFFFFFFFF),
        ("float32", None, 0),
    ],
)
def test_fill_values_keep_their_bits(name: str, value: object, bits: int) -> None:
    assert int(parse_fill_value(value, parse_data_type(name)).view("<u4")) == bits


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("int8", 128),
        ("uint8", -1),
        ("int32", 1.5),
        ("bool", 2),
        ("bool", "x"),
        ("float32", "0x7fc000001"),
        ("r16", [1, 2, 3]),
        ("r16", [1]),
        ("r16", {}),
        ("r16", 3),
        ("int32", True),
        ("float32", True),
        ({"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}}, "abc"),
    ],
)
def test_fill_values_out_of_range(name: object, value: object) -> None:
    with pytest.raises(MetadataError, match="fill_value"):
        parse_fill_value(value, parse_data_type(name))


@given(
    st.sampled_from(["<f2", "<f4", "<f8", "<c8", "<c16", "<i8", "<u8", "|b1", "<M8[ns]", "<m8[3s]", "|V5"]),
    st.binary(min_size=16, max_size=16),
)
def test_fill_values_survive_their_spelling(code: str, raw: bytes) -> None:
    data_type = data_type_of(np.dtype(code))
    raw = bytes([raw[0] & 1]) if code == "|b1" else raw[: data_type.dtype.itemsize]
    element = np.frombuffer(raw, data_type.dtype).reshape(())
    spelled = json.loads(json.dumps(fill_value_document(element), allow_nan=False))
    assert parse_fill_value(spelled, data_type).tobytes() == raw


@pytest.mark.parametrize("code", ["|b1", "<i2", ">f8", "<c16", ">M8[us]", "<m8[s]", "<U7", "|S3", "|V9"])
def test_data_types_survive_their_documents(code: str) -> None:
    data_type = data_type_of(np.dtype(code))
    again = parse_data_type(json.loads(json.dumps(data_type.document())))
    assert again.dtype == np.dtype(code).newbyteorder("<")


def test_structured_types_nest() -> None:
    dtype = np.dtype([("a", ">i4"), ("b", [("c", "<f8", (2, 3)), ("d", "S4")])])
    again = parse_data_type(json.loads(json.dumps(data_type_of(dtype).document())))
    assert again.dtype == dtype.newbyteorder("<")
