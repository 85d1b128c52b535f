"""Malformed documents of the drafts only raise our errors."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.core.formats.drafts.draft_arrays import (
    ARRAY,
    DATETIME,
    SHARDED,
    VALUES,
    arrays,
    each_draft,
    parse,
    store_of,
)
from tests.core.formats.drafts.draft_writer import (
    DRAFTS,
    Array,
    array_document,
    write,
)
from tests.core.formats.strategies import broken
from zarrcore.errors import HierarchyNotFoundError, MetadataError, UnsupportedError
from zarrcore.formats.drafts.documents import parse_draft_array
from zarrcore.metadata import ChunkKeyEncoding

MALFORMED: list[tuple[dict[str, Any], str]] = [
    ({"shape": ...}, "shape: the member is missing"),
    ({"shape": [-1, 6]}, r"shape\[0\]: expected at least 0"),
    ({"shape": "x"}, "shape: expected an array of integers"),
    ({"shape": [2**63, 2**63]}, "shape: an array of 2⁶³ bytes"),
    ({"data_type": ...}, "data_type"),
    ({"data_type": "float1"}, "float1"),
    ({"data_type": 3}, "data_type: expected"),
    ({"data_type": "r7"}, "multiple of 8"),
    ({"data_type": {"extension": "https://example.org/x", "type": "x"}}, "is an unknown extension"),
    ({"data_type": {"extension": DATETIME, "type": "now"}}, "data_type"),
    ({"chunk_grid": ...}, "chunk_grid: (expected an object, found null|the member is missing)"),
    ({"chunk_grid": {"type": "hexagonal"}}, "chunk grid 'hexagonal'|chunk_grid.name: expected a string"),
    ({"fill_value": "much"}, "fill_value: expected"),
    ({"fill_value": "0xzz"}, "fill_value: expected"),
    ({"attributes": [1]}, "attributes: expected an object"),
]


@pytest.mark.sampled(60)
@each_draft
@pytest.mark.parametrize(("members", "words"), MALFORMED, ids=str)
def test_errors_of_malformed_documents_say_what_and_where(
    day: str, members: dict[str, Any], words: str
) -> None:
    with pytest.raises((MetadataError, UnsupportedError), match=words) as raised:
        parse(day, **members)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("day", "members", "words"),
    [
        ("2020-10-16", {"chunk_memory_layout": "Z"}, "chunk_memory_layout: expected 'C' or 'F'"),
        ("2020-10-16", {"chunk_memory_layout": {"extension": "hilbert"}}, "chunk memory layout 'hilbert'"),
        ("2020-10-16", {"compressor": 3}, "compressor: expected an object with a codec"),
        ("2020-10-16", {"compressor": {"codec": "https://example.org/x"}}, "codec 'https://example.org/x'"),
        ("2020-10-16", {"compressor": {"codec": "jpeg"}}, "codec 'numcodecs.jpeg'"),
        ("2020-10-16", {"compressor": {"codec": "pickle"}}, "never decoded"),
        (
            "2020-10-16",
            {"chunk_grid": {"type": "regular", "chunk_shape": [1, 1], "separator": "-"}},
            "chunk_grid.separator: expected '.' or '/'",
        ),
        ("2020-10-16", {"chunk_grid": {"type": "regular"}}, "chunk_grid.chunk_shape: expected an array"),
        ("2020-10-16", {"storage_transformers": 3}, "storage_transformers: expected an array"),
        ("2020-10-16", {"storage_transformers": [{"extension": "x"}]}, "storage transformer 'x'"),
        ("2019-05-14", {"chunk_codecs": {}}, "chunk_codecs: expected an array"),
        ("2022-12-01", {"codecs": [{"type": 3}]}, r"codecs\[0\].type: expected a codec's URI"),
        ("2022-12-01", {"codecs": [3]}, r"codecs\[0\]: expected an object"),
        ("2022-12-01", {"compressor": {"codec": "gzip"}}, "compressor: there is a chain of codecs"),
        ("2022-12-01", {"surprise": 3}, "member 'surprise' is unknown"),
        ("2023-02-09", {"surprise": 3}, "member 'surprise' is unknown"),
        ("2023-02-21", {"surprise": 3}, "member 'surprise' is unknown"),
        *(
            (
                day,
                {
                    "storage_transformers": [
                        {**DRAFTS[day].sharding, "configuration": {"chunks_per_shard": n}}
                    ]
                },
                words,
            )
            for day in ("2022-05-25", "2023-02-21")
            for n, words in (([0, 1], "at least 1"), ([2], "expected 2 lengths"), ("x", "expected an array"))
        ),
    ],
    ids=str,
)
def test_malformed_members_of_one_draft(day: str, members: dict[str, Any], words: str) -> None:
    with pytest.raises((MetadataError, UnsupportedError), match=words):
        parse(day, **members)


@each_draft
@settings(max_examples=15)
@given(data=st.data())
def test_broken_documents_only_raise_our_errors(day: str, data: st.DataObject) -> None:
    values = write(day, {"/a": data.draw(arrays(day)), "/g": {"n": [1]}})
    for key, value in list(values.items()):
        if key.endswith(("json", "meta", "array", "group")) and data.draw(st.booleans()):
            values[key] = json.dumps(data.draw(broken(json.loads(value)))).encode()
    with contextlib.suppress(MetadataError, UnsupportedError, HierarchyNotFoundError):
        hierarchy = zarrcore.open_hierarchy(
            store_of(values), format=data.draw(st.sampled_from([None, DRAFTS[day].name]))
        )
        for node in hierarchy.walk():
            assert "cannot be understood" not in str(getattr(node, "error", ""))


FILTERS = {
    "extension": "https://purl.org/zarr/spec/protocol/extensions/filters/1.0",
    "must_understand": True,
    "configuration": {
        "filters": [
            {"codec": "https://purl.org/zarr/spec/codec/delta/1.0", "configuration": {"dtype": "<i8"}}
        ]
    },
}


RICH: list[dict[str, Any]] = [
    {
        "data_type": {
            "extension": DATETIME,
            "type": "<M8[ns]",
            "fallback": ["<i8", {"extension": "x", "type": 3}],
        }
    },
    {"data_type": {"extension": "structured", "type": [["a", "<i4"], ["b", ">f8"]]}, "fill_value": "AAAA"},
    {"data_type": {"name": "datetime", "configuration": {"unit": "ns"}, "fallback": ["<i8"]}},
    {"extensions": [FILTERS], "attributes": {"filters": [{"id": "zlib", "level": 1}]}},
    {"dimension_names": ["a", None], "fill_value": "0x0007"},
]


@each_draft
@settings(max_examples=40)
@given(data=st.data())
def test_broken_extensions_only_raise_our_errors(day: str, data: st.DataObject) -> None:
    shards = (2, 2) if day in SHARDED else ()
    array = Array(VALUES, (2, 4), order="F", endian=">", chunks_per_shard=shards)
    document = {**array_document(day, array), **data.draw(st.sampled_from(RICH))}
    with contextlib.suppress(MetadataError, UnsupportedError):
        parse_draft_array(
            data.draw(broken(document)), ChunkKeyEncoding("draft", "/"), strict=data.draw(st.booleans())
        )


@each_draft
@settings(max_examples=10)
@given(text=st.binary(max_size=30), place=st.integers(0, 60))
def test_any_text_only_raises_our_errors(day: str, text: bytes, place: int) -> None:
    values = {key: value[:place] + text for key, value in write(day, {"/": ARRAY}).items()}
    with contextlib.suppress(MetadataError, UnsupportedError, HierarchyNotFoundError):
        list(zarrcore.open_hierarchy(store_of(values)).walk())
