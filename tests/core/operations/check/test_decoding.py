"""Checks of chunks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import zarr
import zarr.codecs

from tests.core.operations.check.findings import DATA, findings, kinds


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("a/c/0/0", lambda value: value[:-3]),
        ("a/c/3/2", lambda value: b""),
        ("a/c/1/1", lambda value: b"no zstd frame at all"),
        ("a/c/1/1", lambda value: bytes(100_000)),
        ("s/c/0/1", lambda value: value[:-1] + bytes([value[-1] ^ 1])),
        ("s/c/1/1", lambda value: b"short"),
        ("s/c/1/0", lambda value: bytes([value[0] ^ 255]) + value[1:]),
    ],
)
def test_broken_chunks(root: Path, key: str, change: Any) -> None:
    file = root / key
    file.write_bytes(change(file.read_bytes()))
    (found,) = findings(root)
    assert (found.severity, found.what, found.key) == ("error", "broken-chunk", key)
    assert key not in found.sentence, "it stands beside it"
    assert findings(root, decode=False) == []


def test_an_uncompressed_edge_chunk_of_a_wrong_size(tmp_path: Path) -> None:
    """Of which a read would fetch only the part within the array."""
    zarr.create_array(tmp_path / "x.zarr", data=DATA, chunks=(6, 8), compressors=None, filters=None)
    file = tmp_path / "x.zarr/c/1/1"
    file.write_bytes(file.read_bytes() + b"more")
    assert kinds(tmp_path / "x.zarr") == {("error", "broken-chunk", "/")}


def test_a_wrong_checksum(tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "x.zarr", data=DATA, chunks=(6, 8), compressors=[zarr.codecs.Crc32cCodec()])
    file = tmp_path / "x.zarr/c/0/0"
    value = bytearray(file.read_bytes())
    value[5] ^= 1
    file.write_bytes(value)
    (found,) = findings(tmp_path / "x.zarr")
    assert "checksum" in found.sentence.lower() or "crc32c" in found.sentence.lower()


@pytest.mark.parametrize("added", [b"", b"\0", b"more"])
def test_bytes_after_one_of_many_small_chunks(tmp_path: Path, added: bytes) -> None:
    zarr.create_array(tmp_path / "x.zarr", data=DATA, chunks=(2, 2), compressors=zarr.codecs.ZstdCodec())
    file = tmp_path / "x.zarr/c/1/1"
    file.write_bytes(file.read_bytes() + added)
    assert [(found.what, found.key) for found in findings(tmp_path / "x.zarr")] == (
        [("broken-chunk", "c/1/1")] if added else []
    )
