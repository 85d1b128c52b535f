"""Any array in any format, in other formats and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorstore
import zarr

import zarrcore
from tests.core.formats.array_documents import BYTES, V2_KEYS, metadata
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.formats import Format, format_named
from zarrcore.metadata import (
    ArrayMetadata,
    ChunkKeyEncoding,
    GroupMetadata,
    NamedConfiguration,
)
from zarrcore.stores import MemoryStore

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


def test_a_format_that_can_only_be_read() -> None:
    class Old(type(Format.V2)):
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
        zarrcore.open_hierarchy(MemoryStore(), format="v9")


@pytest.mark.parametrize(
    "configuration",
    [
        {},
        {"chunk_shape": None},
        {"chunk_shape": [1, None]},
        {"chunk_shape": [1]},
        {"chunk_shape": [1, 2], "codecs": None},
    ],
    ids=str,
)
@pytest.mark.parametrize("format_name", ["v2", "n5"])
def test_broken_shards_are_not_converted(format_name: str, configuration: dict[str, Any]) -> None:
    shards = metadata("uint8", NamedConfiguration("sharding_indexed", configuration))
    with pytest.raises(MetadataError):
        format_named(format_name).adapted(shards)
