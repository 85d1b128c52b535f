"""Facts about arrays."""

from __future__ import annotations

import numpy as np
import pytest

import zarrcore
from zarrcore.describe import array_facts
from zarrcore.stores import MemoryStore


def facts(**options: object) -> dict[str, str]:
    return dict(array_facts(zarrcore.create(MemoryStore()).create_array("a", **options)))


def test_the_facts_follow_from_the_metadata() -> None:
    found = facts(shape=(1000, 20), dtype="uint16", chunks=(100, 20), dimension_names=["y", None])
    assert found["shape"] == "1,000 × 20"
    assert found["dimensions"] == "y, –"
    assert found["data type"] == "uint16  (<u2)"
    assert found["size"] == "20,000 elements, 39.1 KiB"
    assert found["chunk shape"] == "100 × 20  (3.91 KiB)"
    assert found["chunks"] == "10  (10 × 1)"
    assert "inner chunks" not in found
    assert found["codecs"] == "bytes  (endian little)\nzstd  (level 3, checksum true)"


def test_shards_have_chunks_inside_and_codecs_of_their_own() -> None:
    found = facts(shape=(8,), dtype="uint8", chunks=(2,), shards=(4,))
    assert (found["chunk shape"], found["inner chunks"]) == ("4  (4 bytes)", "2")
    assert found["codecs"].splitlines()[1] == "  bytes"


@pytest.mark.parametrize(
    ("data_type", "fill_value", "shown"),
    [("string", "ä", '"ä"'), ("float32", np.nan, "nan"), ("bool", True, "True"), ("M8[s]", "NaT", "NaT")],
)
def test_fill_values_of_every_type_are_shown(data_type: str, fill_value: object, shown: str) -> None:
    found = facts(shape=(), dtype=data_type, fill_value=fill_value)
    assert found["fill value"] == shown
    assert found["size"].startswith("1 element")
