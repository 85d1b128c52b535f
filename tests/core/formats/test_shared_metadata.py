"""What arrays that are told alike share of their metadata, and what they do not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import zarrcore
from zarrcore.stores.memory import MemoryStore


def opened(*documents: dict[str, Any]) -> list[Any]:
    """The nodes that documents tell of, each read by itself."""
    store = MemoryStore()
    for number, document in enumerate(documents):
        store.set(f"a{number}/zarr.json", json.dumps(document).encode())
    hierarchy = zarrcore.open_hierarchy(store)
    return [hierarchy.node(f"/a{number}") for number in range(len(documents))]


def document(**members: Any) -> dict[str, Any]:
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4, 6],
        "data_type": "float32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2, 3]}},
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        **members,
    }


def zstd(level: Any) -> list[dict[str, Any]]:
    told = {"name": "zstd", "configuration": {"level": level, "checksum": False}}
    return [{"name": "bytes", "configuration": {"endian": "little"}}, told]


def test_attributes_are_each_ones_own() -> None:
    first, second, third = opened(
        document(attributes={"a": 1}), document(attributes={"a": 2}), document(attributes=None)
    )
    assert [node.attributes for node in (first, second, third)] == [{"a": 1}, {"a": 2}, {}]
    assert first.metadata.codecs is second.metadata.codecs is third.metadata.codecs
    assert first.metadata_document() == {**second.metadata_document(), "attributes": {"a": 1}}


def test_documents_that_differ_are_not_shared() -> None:
    first, second = opened(document(fill_value=1), document(fill_value=2))
    assert (first[0, 0], second[0, 0]) == (1, 2)
    nodes = opened(document(shape=[4, 6]), document(shape=[4, 5]), document(dimension_names=["y", "x"]))
    assert [node.shape for node in nodes] == [(4, 6), (4, 5), (4, 6)]
    assert [node.dimension_names for node in nodes] == [None, None, ("y", "x")]


@pytest.mark.parametrize("broken", [True, 1.5, "1", None])
def test_a_broken_array_is_broken_beside_a_sound_one(broken: Any) -> None:
    """To Python true is 1."""
    for levels in ([1, broken], [broken, 1], [1, broken, 1, broken]):
        kinds = [node.kind for node in opened(*(document(codecs=zstd(level)) for level in levels))]
        assert kinds == ["array" if level is not broken else "broken" for level in levels]


def test_callers_may_change_documents() -> None:
    inner = {"chunk_shape": [1, 1], "codecs": zstd(1), "index_codecs": zstd(1)[:1]}
    first, second = opened(*[document(codecs=[{"name": "sharding_indexed", "configuration": inner}])] * 2)
    first.metadata_document()["codecs"][0]["configuration"]["chunk_shape"][0] = 99
    for node in (first, second):
        assert node.metadata_document()["codecs"][0]["configuration"]["chunk_shape"] == [1, 1]


def test_errors_name_the_fault_each_time() -> None:
    for node in opened(*[document(codecs=[{"name": "nothing"}])] * 3):
        assert "nothing" in str(node.error)
    for node in opened(*[document(codecs=[])] * 2, *[document(surprise=1)] * 2)[2:]:
        assert "surprise" in str(node.error)


def test_long_documents_are_read_like_short_ones() -> None:
    grid = {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[1, 2] * 2000, 6]}}
    first, second = opened(
        document(shape=[6000, 6], chunk_grid=grid, attributes={"a": 1}),
        document(shape=[6000, 6], chunk_grid=grid),
    )
    assert first.shape == second.shape == (6000, 6)
    assert first.attributes == {"a": 1}
    assert first.metadata.chunk_grid == second.metadata.chunk_grid


@pytest.mark.parametrize("format_", ["v2", "n5"])
def test_other_formats_share_metadata_too(tmp_path: Path, format_: str) -> None:
    hierarchy = zarrcore.create(tmp_path, format=format_)
    for name, dimensions in {"a": ["y", "x"], "b": ["t", None], "c": None}.items():
        attributes = {"of": name} if dimensions is None else {"of": name, "_ARRAY_DIMENSIONS": dimensions}
        hierarchy.create_array(f"/{name}", shape=(4, 6), dtype="i2", chunks=(2, 3), attributes=attributes)
    first, second, third = (zarrcore.open_hierarchy(tmp_path)[f"/{name}"] for name in "abc")
    assert first.metadata.codecs is second.metadata.codecs is third.metadata.codecs
    assert [node.attributes["of"] for node in (first, second, third)] == ["a", "b", "c"]
    assert [node.dimension_names for node in (first, second, third)] == [("y", "x"), ("t", None), None]
