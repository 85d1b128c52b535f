"""Writing documents of Zarr v2."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.core.formats.array_documents import BYTES, metadata
from zarrcore.errors import UnsupportedError
from zarrcore.formats import Format
from zarrcore.metadata import (
    ArrayMetadata,
    ChunkKeyEncoding,
    GroupMetadata,
    NamedConfiguration,
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
