"""The nesting levels of shards."""

from __future__ import annotations

import pytest

import zarrcore
from tests.core.array.test_rectilinear import document, shards
from zarrcore.errors import MetadataError
from zarrcore.stores import MemoryStore


def test_shards_that_inner_chunks_do_not_divide_are_refused() -> None:
    store = MemoryStore()
    store.set("zarr.json", document([[4, 2, 3], 4], (9, 4), shards([2, 2])))
    with pytest.raises(MetadataError, match="inner chunks of 2 elements do not divide shards of 3"):
        zarrcore.open(store)["/"]
