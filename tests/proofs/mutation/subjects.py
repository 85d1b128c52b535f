"""What is mutated, and which tests must notice it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Subject:
    """Sources and their tests, as paths from the repository's root. Tests that notice most in least time come first."""

    sources: tuple[str, ...]
    tests: tuple[str, ...]


_ARRAY: Final = "core/zarrcore/array"
_CACHE: Final = "core/zarrcore/stores/cache"
_FUSE: Final = "zfs/zarrfs/fuse"

SUBJECTS: Final = {
    "selections": Subject(
        tuple(f"{_ARRAY}/selection/{name}.py" for name in ("axes", "basic", "planes", "text")),
        ("tests/core/array/selection",),
    ),
    "chunk-grids": Subject(
        ("core/zarrcore/metadata/chunk_grid.py",),
        ("tests/core/metadata/test_chunk_grid.py", "tests/core/array/test_rectilinear.py"),
    ),
    "shards": Subject(
        (f"{_ARRAY}/shards/levels.py", f"{_ARRAY}/shards/reader.py", f"{_ARRAY}/shards/runs.py"),
        ("tests/core/array/shards", "tests/core/array/native"),
    ),
    "chunk-keys": Subject((f"{_ARRAY}/chunks/keys.py",), ("tests/core/array/chunks/test_keys.py",)),
    "cache": Subject(
        (f"{_CACHE}/directory.py", f"{_CACHE}/kept_values.py"),
        tuple(f"tests/core/stores/cache/test_{name}.py" for name in ("kept_values", "directory", "store")),
    ),
    "prefetch": Subject(
        (f"{_FUSE}/prefetch.py", f"{_FUSE}/prefetch_buffers.py"),
        tuple(f"tests/zfs/fuse/test_prefetch{part}.py" for part in ("", "_requests", "_buffers")),
    ),
    "inodes": Subject(
        tuple(f"{_FUSE}/inodes/{name}.py" for name in ("inode", "inode_table", "reserved_numbers")),
        ("tests/zfs/fuse/inodes",),
    ),
    "errnos": Subject((f"{_FUSE}/errnos.py",), ("tests/zfs/fuse/test_errnos.py",)),
}
"""By name."""
