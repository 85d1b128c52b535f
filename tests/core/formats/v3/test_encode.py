"""Writing documents of Zarr v3."""

from __future__ import annotations

import json

import pytest

from tests.core.formats.array_documents import BYTES, metadata
from zarrcore.errors import UnsupportedError
from zarrcore.formats import Format
from zarrcore.metadata import (
    ChunkKeyEncoding,
    NamedConfiguration,
)


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
