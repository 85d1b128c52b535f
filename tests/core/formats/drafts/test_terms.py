"""Data types, filters and fill values of the drafts."""

from __future__ import annotations

import pytest

from tests.core.formats.drafts.draft_arrays import (
    DATETIME,
    parse,
)
from tests.core.formats.drafts.draft_writer import (
    DRAFTS,
)
from zarrcore.errors import MetadataError
from zarrcore.formats.drafts.terms import sharded


def test_data_types_of_extensions() -> None:
    for day in DRAFTS:
        dates = parse(day, data_type={"extension": DATETIME, "type": "<M8[ns]", "fallback": "<i8"})
        assert dates.dtype == "<M8[ns]"
        for fallback in ("<f4", ["https://example.org/no", "<f4"], ["quaternion", "float32", "<i8"]):
            unknown = {"extension": "https://example.org/x", "type": [1], "fallback": fallback}
            assert parse(day, data_type=unknown).dtype == "<f4"
        assert parse(day, data_type="r24", fill_value="0x010203").fill_value.tobytes() == b"\1\2\3"
        assert parse(day, data_type=">u2", fill_value="0b1000000000000001").fill_value == 0x8001
    assert (
        parse("2023-02-21", data_type={"name": "datetime", "configuration": {"unit": "ns"}}).dtype
        == "<M8[ns]"
    )
    text = {"name": "quaternion", "fallback": ["octonion", "<f4"]}
    assert parse("2023-02-21", data_type=text).dtype == "<f4"


def test_filters_in_either_place() -> None:
    delta = {"id": "delta", "dtype": "<i4"}
    hidden = parse("2020-10-16", attributes={"filters": [delta], "n": 1})
    assert [codec.name for codec in hidden.codecs] == ["numcodecs.delta", "bytes", "gzip"]
    assert hidden.attributes == {"n": 1}
    extension = {
        "extension": "https://purl.org/zarr/spec/protocol/extensions/filters/1.0",
        "must_understand": True,
        "configuration": {
            "filters": [
                {"codec": "https://purl.org/zarr/spec/codec/delta/1.0", "configuration": {"dtype": "<i4"}}
            ]
        },
    }
    assert parse("2019-06-19", extensions=[extension]).codecs == hidden.codecs
    assert parse("2020-10-16", attributes={"filters": "coffee"}).attributes == {"filters": "coffee"}


def test_undefined_fill_values() -> None:
    for day in DRAFTS:
        assert parse(day, fill_value=None).fill_value == 0


def test_shards_in_shards_without_end_are_refused() -> None:
    array = parse("2020-10-16").metadata
    uri = "https://purl.org/zarr/spec/storage_transformers/sharding/1.0"
    shards = {
        "extension": uri,
        "type": "indexed",
        "configuration": {"chunks_per_shard": [1] * len(array.shape)},
    }
    assert sharded(array, [shards] * 3).codecs[0].name == "sharding_indexed"
    with pytest.raises(MetadataError, match="storage_transformers: expected at most 16, found 500"):
        sharded(array, [shards] * 500)
