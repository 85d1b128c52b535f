"""The documents that are written: what stands in them, what others read in them, and what no format can say."""

from __future__ import annotations

import enum
import json
import math
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import tensorstore
import zarr

import zarrcore
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.formats import Format, format_named
from zarrcore.metadata import (
    ArrayMetadata,
    ChunkKeyEncoding,
    GroupMetadata,
    NamedConfiguration,
    RegularChunkGrid,
)
from zarrcore.metadata.data_type import data_type_of, parse_data_type
from zarrcore.metadata.fill_value import parse_fill_value
from zarrcore.stores import MemoryStore

BYTES = NamedConfiguration("bytes", {"endian": "little"})
V2_KEYS = ChunkKeyEncoding("v2", ".")


def metadata(data_type: Any = "float32", *codecs: Any, fill_value: Any = 0, **members: Any) -> ArrayMetadata:
    kind = data_type_of(np.dtype(data_type)) if isinstance(data_type, list) else parse_data_type(data_type)
    shape = members.pop("shape", (5, 7))
    return ArrayMetadata(
        shape=shape,
        data_type=kind,
        chunk_grid=RegularChunkGrid(members.pop("chunk_shape", (2, 3)[: len(shape)])),
        chunk_key_encoding=members.pop("chunk_key_encoding", V2_KEYS),
        fill_value=parse_fill_value(fill_value, kind),
        codecs=tuple(NamedConfiguration(c) if isinstance(c, str) else c for c in codecs or (BYTES,)),
        **members,
    )


def zarray(array: ArrayMetadata) -> dict[str, Any]:
    return json.loads(Format.V2.encode(array)[0] or b"")


class TestVersion2:
    def test_the_whole_document(self) -> None:
        array = metadata(
            "uint16",
            NamedConfiguration("transpose", {"order": [1, 0]}),
            NamedConfiguration("bytes", {"endian": "big"}),
            NamedConfiguration("blosc", {"cname": "lz4", "clevel": 5, "shuffle": "bitshuffle"}),
            fill_value=7,
            chunk_key_encoding=ChunkKeyEncoding("v2", "/"),
            attributes={"a": 1},
            dimension_names=("y", None),
        )
        document, group, attributes = Format.V2.encode(array)
        assert group is None
        assert json.loads(attributes or b"") == {"a": 1, "_ARRAY_DIMENSIONS": ["y", None]}
        assert json.loads(document or b"") == {
            "zarr_format": 2,
            "shape": [5, 7],
            "chunks": [2, 3],
            "dtype": ">u2",
            "compressor": {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 2, "blocksize": 0},
            "fill_value": 7,
            "order": "F",
            "filters": None,
            "dimension_separator": "/",
        }

    def test_groups_without_attributes_have_no_attributes_document(self) -> None:
        assert Format.V2.encode(GroupMetadata()) == (None, b'{\n  "zarr_format": 2\n}\n', None)
        assert json.loads(Format.V2.encode(GroupMetadata({"a": 1}))[2] or b"") == {"a": 1}

    @pytest.mark.parametrize(
        ("array", "dtype", "spelled"),
        [
            (metadata("float32", fill_value="NaN"), "<f4", "NaN"),
            (metadata("float64", fill_value="-Infinity"), "<f8", "-Infinity"),
            (metadata("complex64", fill_value=[1, "NaN"]), "<c8", [1.0, "NaN"]),
            (metadata("bool", "bytes", fill_value=True), "|b1", True),
            (metadata([("a", "<i2"), ("b", "S3")], "bytes"), None, "AAAAAAA="),
            (metadata("string", "vlen-utf8", fill_value="ä"), "|O", "ä"),
            (metadata("bytes", "vlen-bytes", fill_value="YWI="), "|O", "YWI="),
            (
                metadata(
                    {"name": "null_terminated_bytes", "configuration": {"length_bytes": 4}},
                    "bytes",
                    fill_value="YWI=",
                ),
                "|S4",
                "YWIAAA==",
            ),
            (
                metadata(
                    {"name": "numpy.datetime64", "configuration": {"unit": "ns", "scale_factor": 1}},
                    fill_value="NaT",
                ),
                "<M8[ns]",
                -(2**63),
            ),
        ],
    )
    def test_types_and_fill_values(self, array: ArrayMetadata, dtype: str | None, spelled: Any) -> None:
        document = zarray(array)
        assert document["dtype"] == (dtype or [["a", "<i2"], ["b", "|S3"]])
        assert document["fill_value"] == spelled

    def test_filters_round_trip(self) -> None:
        stored = {
            "zarr_format": 2,
            "shape": [10],
            "chunks": [5],
            "dtype": ">i4",
            "compressor": {"id": "zlib", "level": 1},
            "fill_value": 0,
            "order": "C",
            "filters": [
                {"id": "delta", "dtype": "<i4", "astype": "<i2"},
                {"id": "shuffle", "elementsize": 2},
            ],
            "dimension_separator": ".",
        }
        array = Format.V2.parse((json.dumps(stored).encode(), None, None))
        assert isinstance(array, ArrayMetadata)
        assert [codec.name for codec in array.codecs] == [
            "v2_view",
            "numcodecs.delta",
            "bytes",
            "numcodecs.shuffle",
            "numcodecs.zlib",
        ]
        assert zarray(array) == stored

    @pytest.mark.parametrize(
        ("array", "words"),
        [
            (metadata("bfloat16"), "data type 'bfloat16' cannot be expressed in Zarr v2"),
            (metadata("int4", "bytes"), "data type 'int4' cannot be expressed in Zarr v2"),
            (
                metadata(chunk_key_encoding=ChunkKeyEncoding()),
                "chunk key encoding 'default' cannot be expressed",
            ),
            (metadata("float32", fill_value="0x7fc00001"), "fill value '0x7fc00001'"),
            (metadata("float32", BYTES, "crc32c"), "codec 'crc32c' cannot be expressed in Zarr v2"),
            (
                metadata(
                    "float32",
                    NamedConfiguration("transpose", {"order": [1, 2, 0]}),
                    BYTES,
                    shape=(2, 2, 2),
                    chunk_shape=(1, 1, 1),
                ),
                "codec 'transpose' in another order than the reverse",
            ),
            (
                metadata(
                    "float32",
                    NamedConfiguration(
                        "sharding_indexed",
                        {
                            "chunk_shape": [1, 3],
                            "codecs": ["bytes"],
                            "index_codecs": [BYTES.document(), "crc32c"],
                        },
                    ),
                ),
                "codec 'sharding_indexed' cannot be expressed in Zarr v2",
            ),
        ],
    )
    def test_arrays_that_version_2_cannot_express_are_refused(self, array: ArrayMetadata, words: str) -> None:
        with pytest.raises(UnsupportedError, match=words):
            Format.V2.encode(array)

    def test_names_of_dimensions_outlive_other_attributes(self) -> None:
        documents = Format.V2.encode(metadata(dimension_names=("y", "x"), attributes={"a": 1}))
        changed = Format.V2.parse(Format.V2.with_attributes(documents, {"b": 2}))
        assert isinstance(changed, ArrayMetadata)
        assert changed.dimension_names == ("y", "x")
        assert changed.attributes == {"b": 2, "_ARRAY_DIMENSIONS": ["y", "x"]}

    @pytest.mark.parametrize("filters", [[{"id": "vlen-array"}], [{"id": "strange"}], [{"id": "pickle"}]])
    def test_objects_of_unknown_kinds_are_refused_by_name(self, filters: list[Any]) -> None:
        document = {**zarray(metadata("string", "vlen-utf8")), "filters": filters}
        with pytest.raises(UnsupportedError, match=filters[0]["id"]):
            Format.V2.parse((json.dumps(document).encode(), None, None))


class TestVersion3:
    def test_every_member_and_parameter_is_spelled_out(self) -> None:
        array = metadata("float32", "bytes", "zstd", chunk_key_encoding=ChunkKeyEncoding(), fill_value="NaN")
        (document,) = Format.V3.encode(array)
        assert json.loads(document or b"") == {
            "zarr_format": 3,
            "node_type": "array",
            "shape": [5, 7],
            "data_type": "float32",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": "NaN",
            "codecs": [
                {"name": "bytes", "configuration": {"endian": "little"}},
                {"name": "zstd", "configuration": {"level": 0, "checksum": False}},
            ],
            "attributes": {},
            "storage_transformers": [],
        }

    def test_a_change_keeps_unknown_members_and_their_order(self) -> None:
        stored = (
            b'{"novelty": {"must_understand": false, "n": [1, 2]}, "attributes": {"a": 1}, "node_type": "group", '
            b'"zarr_format": 3, "consolidated_metadata": null}'
        )
        (changed,) = Format.V3.with_attributes((stored,), {"b": 2})
        assert json.loads(changed or b"") == {**json.loads(stored), "attributes": {"b": 2}}
        assert list(json.loads(changed or b"")) == list(json.loads(stored))

    @pytest.mark.parametrize(
        "codec",
        [
            NamedConfiguration("n5_lz4"),
            NamedConfiguration("v2_view", {"dtype": "<f4", "viewed_dtype": "<i4"}),
        ],
    )
    def test_internal_names_are_never_written(self, codec: NamedConfiguration) -> None:
        with pytest.raises(UnsupportedError, match="is never written"):
            Format.V3.encode(metadata("float32", BYTES, codec, chunk_key_encoding=ChunkKeyEncoding()))


class TestAttributes:
    @pytest.mark.parametrize("name", ["v3", "v2", "n5"])
    def test_numpy_values_become_json(self, name: str) -> None:
        class Colour(enum.StrEnum):
            RED = "red"

        given = {
            "scalar": np.float32(0.5),
            "array": np.arange(4, dtype="u1").reshape(2, 2),
            "flag": np.bool_(True),
            "text": np.str_("ä"),
            "pair": (1, (2, 3)),
            "colour": Colour.RED,
            "deep": {"er": [np.int64(2**53)]},
            "half": "\ud800",
        }
        written = format_named(name)
        node = written.parse(written.encode(GroupMetadata(given)))
        assert node is not None
        assert node.attributes == {
            "scalar": 0.5,
            "array": [[0, 1], [2, 3]],
            "flag": True,
            "text": "ä",
            "pair": [1, [2, 3]],
            "colour": "red",
            "deep": {"er": [2**53]},
            "half": "\ud800",
        }

    @pytest.mark.parametrize("name", ["v3", "v2", "n5"])
    def test_bare_nan_and_infinity_are_never_written(self, name: str) -> None:
        written = format_named(name)
        documents = written.encode(GroupMetadata({"a": [math.nan, -math.inf, np.float32("inf")]}))
        assert written.parse(documents) == GroupMetadata({"a": ["NaN", "-Infinity", "Infinity"]})

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ({"raw": b"abc"}, "attributes.raw: a value of type bytes has no JSON form"),
            ({"a": {"b": [1, {2, 3}]}}, r"attributes.a.b\[1\]: a value of type set"),
            ({"a": {1: 2}}, r"attributes.a: expected a string as name, found 1 \(int\)"),
            ({"c": np.complex64(1j)}, "attributes.c: a value of type complex64"),
            ({"t": np.datetime64("2020-01-01")}, "attributes.t: a value of type datetime64"),
            ({"o": np.array([object()])}, "attributes.o: a value of type ndarray"),
            ({"n": 10**5000}, "cannot be written as JSON"),
        ],
    )
    def test_attributes_that_are_not_json_are_named(self, given: dict[str, Any], words: str) -> None:
        for written in (Format.V3, Format.V2, Format.N5):
            with pytest.raises(MetadataError, match=words):
                written.encode(GroupMetadata(given))

    def test_attributes_that_would_not_read_back_are_not_written(self) -> None:
        deep: Any = 1
        for _ in range(200):
            deep = [deep]
        endless: dict[str, Any] = {}
        endless["self"] = endless
        for given in ({"a": deep}, endless):
            with pytest.raises(MetadataError, match="nested deeper"):
                Format.V3.encode(GroupMetadata(given))


ARRAYS = {
    "plain": metadata("int32", "bytes", NamedConfiguration("zstd", {"level": 3, "checksum": True})),
    "turned": metadata("float64", NamedConfiguration("transpose", {"order": [1, 0]}), "bytes", "gzip"),
    "big": metadata("uint16", NamedConfiguration("bytes", {"endian": "big"}), "blosc"),
    "sharded": metadata(
        "float32",
        NamedConfiguration(
            "sharding_indexed",
            {
                "chunk_shape": [1, 3],
                "codecs": ["bytes", "zstd"],
                "index_codecs": [BYTES.document(), "crc32c"],
            },
        ),
        fill_value="NaN",
        chunk_key_encoding=ChunkKeyEncoding(),
    ),
}


@pytest.mark.parametrize(("name", "driver"), [("v3", "zarr3"), ("v2", "zarr"), ("n5", "n5")])
@pytest.mark.parametrize("kind", ARRAYS)
def test_other_readers_agree_on_any_array_in_any_format(
    tmp_path: Path, name: str, driver: str, kind: str
) -> None:
    written = format_named(name)
    adapted = written.adapted(ARRAYS[kind])
    array = zarrcore.create(tmp_path, format=name).create_node("x", adapted)
    values = (np.arange(35) % 11).reshape(5, 7).astype(array.dtype)
    array[...] = values
    spec = {"driver": driver, "kvstore": {"driver": "file", "path": f"{tmp_path}/x/"}}
    theirs = tensorstore.open(spec).result().read().result()
    np.testing.assert_array_equal(theirs.T if name == "n5" else theirs, values)
    if name != "n5":
        np.testing.assert_array_equal(zarr.open_array(tmp_path / "x", mode="r")[...], values)


def test_from_format_to_format_and_back() -> None:
    for array in ARRAYS.values():
        there: Any = array
        for name in ("n5", "v3", "v2", "v3", "n5", "v2"):
            there = format_named(name).adapted(there)
            assert (there.shape, there.data_type) == (array.shape, array.data_type)
        assert there.chunk_key_encoding == V2_KEYS


def test_shards_without_codecs_become_chunks_of_plain_bytes() -> None:
    shard = {"chunk_shape": [1, 3], "index_codecs": [BYTES.document()]}
    array = metadata("uint8", NamedConfiguration("sharding_indexed", shard))
    adapted = format_named("v2").adapted(array)
    assert isinstance(adapted, ArrayMetadata)
    assert [codec.name for codec in adapted.codecs] == ["bytes"]


def test_version_3_accepts_codecs_in_any_valid_order() -> None:
    filters = (
        NamedConfiguration("scale_offset", {"scale": 2}),
        NamedConfiguration("transpose", {"order": [1, 0]}),
    )
    array = metadata("int32", *filters, BYTES)
    assert format_named("v3").adapted(array).codecs == (*filters, BYTES)
    with pytest.raises(UnsupportedError, match="after 'scale_offset' is not converted"):
        format_named("v2").adapted(array)


def test_version_2_strings_read_as_strings(tmp_path: Path) -> None:
    values = np.array(["", "ä", "abc", "\U0001f600"], dtype=object)
    theirs = zarr.create_array(tmp_path / "x", shape=(4,), chunks=(3,), dtype=str, zarr_format=2)
    theirs[...] = values
    array = zarrcore.open(tmp_path / "x")["/"]
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
    array = zarrcore.open(tmp_path)["/"]
    assert isinstance(array, zarrcore.Array)
    assert array[...].astype("f4").tolist() == [1, 2.5, -3]


def test_a_format_that_can_only_be_read() -> None:
    class Old(type(Format.V2)):  # type: ignore[misc]
        name = "old"
        writable = False
        encode, adapted = Format.encode, Format.adapted
        with_attributes, with_shape = Format.with_attributes, Format.with_shape

    documents = (None, None, None)
    for change in (
        lambda: Old().encode(GroupMetadata()),
        lambda: Old().adapted(GroupMetadata()),
        lambda: Old().with_attributes(documents, {}),
        lambda: Old().with_shape(documents, ()),
    ):
        with pytest.raises(UnsupportedError, match="format 'old' can be read but not written"):
            change()
    with pytest.raises(UnsupportedError, match="known are v3, v2, n5"):
        zarrcore.open(MemoryStore(), format="v9")
