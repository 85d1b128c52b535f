"""The marker of an unfinished copy."""

from __future__ import annotations

import pytest

from zarrcore.operations.marker import MARKER_KEY, Marker, erase_marker, read_marker, write_marker
from zarrcore.stores.memory import MemoryStore


def test_a_marker_reads_back() -> None:
    store = MemoryStore()
    assert read_marker(store) is None
    marker = Marker("s3://bucket/x#/", "1f", {"/a": "3-07", "/ä": "0-00"})
    write_marker(store, marker)
    assert read_marker(store) == marker
    erase_marker(store)
    assert read_marker(store) is None


@pytest.mark.parametrize(
    ("text", "fingerprint"),
    [
        (b"", ""),
        (b"[]", ""),
        (b'{"plan": "1f"}', "1f"),
        (b'{"plan": "1f", "chunks": ["/a"]}', "1f"),
        (b'{"plan": "1f", "chu', ""),
    ],
)
def test_a_damaged_marker_is_that_of_an_unknown_copy(text: bytes, fingerprint: str) -> None:
    found = read_marker(MemoryStore(values={MARKER_KEY: text}))
    assert found is not None
    assert (found.fingerprint, found.chunks) == (fingerprint, {})
