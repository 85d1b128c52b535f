"""The metadata of groups and arrays in Zarr v3 terms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from zarrcore.errors import MetadataError
from zarrcore.metadata import (
    ArrayMetadata,
    ChunkKeyEncoding,
    GroupMetadata,
    NamedConfiguration,
    RegularChunkGrid,
)
from zarrcore.metadata.data_type import parse_data_type


def array(shape: tuple[int, ...] = (4, 6), **more: Any) -> ArrayMetadata:
    return ArrayMetadata(
        **{
            "shape": shape,
            "data_type": parse_data_type("float32"),
            "chunk_grid": RegularChunkGrid((1,) * len(shape)),
            "chunk_key_encoding": ChunkKeyEncoding(),
            "fill_value": np.array(np.nan, "<f4"),
            "codecs": (NamedConfiguration("bytes", {"endian": "little"}),),
        }
        | more
    )


def test_an_array_is_a_document_of_zarr_v3() -> None:
    assert array(attributes={"units": "m"}, dimension_names=("y", None)).document() == {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4, 6],
        "data_type": "float32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1, 1]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": "NaN",
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "attributes": {"units": "m"},
        "dimension_names": ["y", None],
    }
    assert "dimension_names" not in array().document()
    assert array(()).document()["shape"] == []


def test_a_group_is_a_document_of_zarr_v3() -> None:
    group = GroupMetadata({"a": 1})
    document = group.document()
    assert document == {"zarr_format": 3, "node_type": "group", "attributes": {"a": 1}}
    document["attributes"]["b"] = 2
    assert group.attributes == {"a": 1}


def test_arrays_are_equal_whatever_their_fill_value() -> None:
    assert array() == array(fill_value=np.array(0, "<f4"), fill_value_is_told=False)
    assert array() != array(attributes={"a": 1})


def test_an_array_has_at_most_64_dimensions() -> None:
    assert len(array((1,) * 64).shape) == 64
    with pytest.raises(MetadataError, match="shape: 65 dimensions exceed the 64 allowed"):
        array((1,) * 65)


@pytest.mark.parametrize("shape", [(1 << 61,), (1 << 31, 1 << 30), (0, 1 << 61)])
def test_an_array_is_smaller_than_2_to_the_63_bytes(shape: tuple[int, ...]) -> None:
    assert array(((1 << 61) - 1,)).shape == ((1 << 61) - 1,)
    with pytest.raises(MetadataError, match="cannot be addressed"):
        array(shape)
