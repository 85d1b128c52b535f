"""Whole hierarchies that were damaged at random: whatever is read of them is an array or one of our errors, in bounded memory.

To look longer: ``python -m tests.core.test_damage 10000``.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zarrcore as zc
from tests.core.formats.strategies import broken
from tests.memory import forget_peak, peak_nbytes
from zarrcore.errors import ZarrError
from zarrcore.hierarchy import BrokenNode
from zarrcore.operations.check import check
from zarrcore.stores import MemoryStore

MAX_CHUNK_BYTES = 1 << 20
MAX_GROWTH_NBYTES = 128 << 20
_LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
_INDEX_CODECS = [_LITTLE, {"name": "crc32c"}]
_HOSTILE = [
    b"\xff" * 8,
    b"\0" * 8,
    b"\xff" * 7 + b"\x7f",
    b"\0\0\0\0\0\1\0\0",
    b"\x28\0\0\0\0\0\0\0",
    b"\xff" * 4,
]


def _shards(**configuration: Any) -> list[Any]:
    usual = {"chunk_shape": [2, 3], "codecs": [_LITTLE, "zstd"], "index_codecs": _INDEX_CODECS}
    return [{"name": "sharding_indexed", "configuration": usual | configuration}]


def _codecs(*names: str, **configuration: Any) -> list[Any]:
    return [{"name": name, "configuration": configuration} for name in names]


_V3: dict[str, dict[str, Any]] = {
    **{name: {"codecs": [_LITTLE, *_codecs(name)]} for name in ("gzip", "zstd", "blosc", "crc32c")},
    "shards": {"codecs": _shards()},
    "shards_at_start": {"codecs": _shards(index_location="start", codecs=[_LITTLE])},
    "shards_in_shards": {"codecs": _shards(codecs=_shards(chunk_shape=[1, 3]))},
    "packed": {"dtype": "bool", "codecs": _codecs("packbits")},
    "cast": {"codecs": [*_codecs("cast_value", data_type="int8", out_of_range="clamp"), _LITTLE]},
    "scaled": {"codecs": [*_codecs("scale_offset", scale=2), *_codecs("transpose", order=[1, 0]), _LITTLE]},
    "texts": {"dtype": "string"},
    "strings": {"dtype": "bytes"},
    "small": {"dtype": "bfloat16"},
    "times": {"dtype": "<M8[ns]"},
    "records": {"dtype": np.dtype([("a", "<i2"), ("b", "<U2"), ("c", "<f8", (2,))])},
}
_V2: dict[str, dict[str, Any]] = {
    **{name: {"codecs": [_LITTLE, *_codecs(f"numcodecs.{name}")]} for name in ("zlib", "bz2", "lzma", "lz4")},
    "delta": {"codecs": [*_codecs("numcodecs.delta", dtype="<i4"), _LITTLE, *_codecs("blosc")]},
    "fortran": {"codecs": [*_codecs("transpose", order=[1, 0]), _LITTLE, *_codecs("zstd")]},
    "texts": {"dtype": "string"},
    "unicode": {"dtype": "<U3"},
    "records": {"dtype": np.dtype([("a", "<i2"), ("b", "S3")])},
}
_N5: dict[str, dict[str, Any]] = {
    name: {"codecs": [_LITTLE, *_codecs(codec)]}
    for name, codec in (
        ("gzip", "gzip"),
        ("bzip2", "numcodecs.bz2"),
        ("lz4", "n5_lz4"),
        ("blosc", "blosc"),
    )
}


@cache
def _whole() -> tuple[dict[str, bytes], ...]:
    """Small hierarchies, a format each."""
    return tuple(_written(name, arrays) for name, arrays in (("v3", _V3), ("v2", _V2), ("n5", _N5)))


def _written(format_name: str, arrays: dict[str, dict[str, Any]]) -> dict[str, bytes]:
    store = MemoryStore()
    hierarchy = zc.create(store, format=format_name)
    for name, given_members in arrays.items():
        members = {"dtype": "int32", **given_members}
        shape = {"shards": (8, 6), "chunk": (4, 6)}["shards" if "shards" in name else "chunk"]
        array = hierarchy.create_array(
            f"/g/{name}", shape=shape, chunks=(4, 6), attributes={"a": 1}, **members
        )
        numbers = np.arange(np.prod(shape)).reshape(shape) % 7
        if array.dtype.kind == "O":
            array[...] = np.array([[bytes(number) for number in row] for row in numbers.tolist()], object)
        elif array.dtype.names is not None:
            array[...] = np.zeros(shape, array.dtype)
        else:
            array[...] = numbers.astype(array.dtype)
    with contextlib.suppress(ZarrError):
        hierarchy.consolidate()
    return {entry.key: bytes(store.get(entry.key) or b"") for entry in store.list()}


@st.composite
def damaged(draw: st.DrawFn) -> dict[str, bytes]:
    """The values of a hierarchy, some of them broken."""
    values = dict(draw(st.sampled_from(_whole())))
    keys = sorted(values)
    documents = [key for key in keys if values[key].startswith(b"{")]
    for _ in range(draw(st.integers(1, 3))):
        key = draw(st.sampled_from(draw(st.sampled_from([keys, documents]))))
        values[key] = draw(_damage(values[key], values[draw(st.sampled_from(keys))]))
    return values


def _damage(value: bytes, other: bytes) -> st.SearchStrategy[bytes]:
    places = st.integers(0, max(0, len(value) - 1))
    ways = [
        st.just(other),
        places.map(lambda place: value[:place]),
        st.builds(_overwritten, st.just(value), places, st.binary(min_size=1, max_size=4)),
        # Sizes and offsets stand at the beginning of a chunk, or of a multiple of four before its end.
        st.builds(
            _overwritten, st.just(value), st.integers(0, 7).map(lambda i: 4 * i), st.sampled_from(_HOSTILE)
        ),
        st.builds(
            _overwritten,
            st.just(value),
            st.integers(1, 10).map(lambda i: max(0, len(value) - 4 * i)),
            st.sampled_from(_HOSTILE),
        ),
        st.binary(max_size=30).map(lambda more: value + more),
    ]
    with contextlib.suppress(ValueError):
        document = json.loads(value)
        if isinstance(document, dict) and document:
            ways += 3 * [broken(document).map(lambda changed: json.dumps(changed).encode())]
    return st.one_of(ways)


def _overwritten(value: bytes, place: int, part: bytes) -> bytes:
    return value[:place] + part + value[place + len(part) :]


def look_at_everything(values: dict[str, bytes]) -> None:
    """Open, walk, read and check a hierarchy."""
    with contextlib.suppress(ZarrError):
        hierarchy = zc.open_hierarchy(MemoryStore(values=dict(values)), max_chunk_bytes=MAX_CHUNK_BYTES)
        for node in hierarchy.walk():
            if isinstance(node, BrokenNode):
                assert "cannot be understood" not in str(node.error), "as what no check foresaw is"
            if node.kind == "array":
                for selection in _selections(node.shape):
                    with contextlib.suppress(ZarrError):
                        node[selection]
                with contextlib.suppress(ZarrError):
                    node.storage_info()
        assert all(len(finding.sentence.splitlines()) == 1 for finding in check(hierarchy))


def _selections(shape: tuple[int, ...]) -> Iterator[Any]:
    """Parts of an array; its shape may be broken too, so never more than a few elements."""
    yield tuple(slice(0, 5) for _ in shape[:8]) + (0,) * len(shape[8:])
    yield tuple(slice(-2, None) for _ in shape[:8]) + (0,) * len(shape[8:])
    yield (0,) * len(shape)


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(values=damaged())
def test_damage_only_raises_our_errors(values: dict[str, bytes]) -> None:
    before = forget_peak()
    look_at_everything(values)
    assert peak_nbytes() - before < MAX_GROWTH_NBYTES


def test_undamaged_hierarchies_have_no_findings() -> None:
    for values in _whole():
        look_at_everything(values)
        hierarchy = zc.open_hierarchy(MemoryStore(values=dict(values)))
        assert [finding for finding in check(hierarchy) if finding.severity == "error"] == []


if __name__ == "__main__":
    longer = settings(max_examples=int(sys.argv[1]), deadline=None, suppress_health_check=list(HealthCheck))
    longer(given(values=damaged())(look_at_everything))()
