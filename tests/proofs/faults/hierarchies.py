"""Small hierarchies of every format, whose chunks have checksums or not, and the elements that an array may have."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from zarrcore.hierarchy import ArrayNode, Hierarchy
from zarrcore.typing import AnyArray

Elements = AnyArray

_GZIP = {"name": "gzip", "configuration": {"level": 1}}
_ZSTD = {"name": "zstd", "configuration": {"level": 1, "checksum": True}}
_CRC = {"name": "crc32c"}


@dataclass(frozen=True)
class Kind:
    """A way to store an array."""

    name: str
    data_type: str
    codecs: list[Any]
    has_checksum: bool
    shard: tuple[int, ...] | None = None
    fill_value: Any = None


KINDS: dict[str, list[Kind]] = {
    "v3": [
        Kind("plain", "int32", [], has_checksum=False, fill_value=-7),
        Kind("crc", "float64", [_CRC], has_checksum=True),
        Kind("zstd", "uint16", [_ZSTD, _CRC], has_checksum=True, fill_value=9),
        Kind("shards", "int16", [_GZIP, _CRC], has_checksum=True, shard=(6, 8)),
        Kind("plainshards", "uint8", [_CRC], has_checksum=True, shard=(6, 8), fill_value=3),
        Kind("words", "string", [_ZSTD, _CRC], has_checksum=True, fill_value="none"),
    ],
    "v2": [
        Kind("plain", "int32", [], has_checksum=False),
        Kind("gzip", "float32", [_GZIP], has_checksum=True, fill_value=1.5),
        Kind(
            "zlib", "uint16", [{"name": "numcodecs.zlib", "configuration": {"level": 1}}], has_checksum=True
        ),
        Kind("crc", "int64", [{"name": "numcodecs.crc32c"}], has_checksum=True),
    ],
    "n5": [
        Kind("plain", "int32", [], has_checksum=False),
        Kind("gzip", "uint16", [_GZIP], has_checksum=False),  # the header of a block has none
    ],
}

SHAPE, CHUNK = (13, 10), (3, 4)


def create(hierarchy: Hierarchy, path: str, kind: Kind, *, overwrite: bool = False) -> ArrayNode:
    """An array without elements."""
    return hierarchy.create_array(
        path,
        shape=SHAPE,
        dtype=kind.data_type,
        chunks=CHUNK,
        shards=kind.shard,
        codecs=kind.codecs,
        fill_value=kind.fill_value,
        attributes={"n": 0},
        overwrite=overwrite,
    )


def random_elements(array: ArrayNode, choice: random.Random, shape: tuple[int, ...]) -> Elements:
    """Elements of an array's type."""
    numbers = np.random.default_rng(choice.getrandbits(32)).integers(0, 100, shape)
    if array.dtype.kind in "OT":
        return np.array([f"word {number}" for number in numbers.ravel()], dtype=array.dtype).reshape(shape)
    return numbers.astype(array.dtype)


def random_selection(choice: random.Random, shape: tuple[int, ...]) -> tuple[slice, ...]:
    """A part that is not empty."""
    parts = []
    for length in shape:
        start = choice.randrange(length)
        parts.append(slice(start, choice.randint(start + 1, length), choice.choice([1, 1, 1, 2])))
    return tuple(parts)


@dataclass
class Truth:
    """The elements of an array, now and before."""

    now: Elements
    earlier: list[Elements] = field(default_factory=list)

    def update_from(self, elements: Elements) -> None:
        """Take over new elements."""
        self.earlier = [*self.earlier[-8:], self.now]
        self.now = elements

    def check_read(
        self, found: Elements, selection: tuple[slice, ...], unit: tuple[int, ...], *, stale: bool
    ) -> None:
        """Each chunk has elements that are right now, or if ``stale`` were."""
        candidates = [self.now, *(self.earlier if stale else [])]
        units = np.indices(self.now.shape)
        numbers = sum(
            (units[axis] // length) * 1000**axis for axis, length in enumerate(unit)
        )  # of each element's chunk
        numbers = np.asarray(numbers)[selection]
        assert found.shape == numbers.shape
        right = [np.asarray(one[selection] == found) for one in candidates if one.shape == self.now.shape]
        for number in np.unique(numbers):
            here = numbers == number
            assert any(one[here].all() for one in right), f"wrong elements in {selection}: {found}"

    def check_write(
        self, found: Elements, new: Elements, unit: tuple[int, ...], *, failed: bool, late: bool = False
    ) -> None:
        """What is stored after a write is new; after one that failed, each chunk is old or new as a whole, or ``late``."""
        if not (failed or late):
            assert np.array_equal(found, new), "a write was reported stored, and is not"
        else:
            Truth(new, [*(self.earlier if late else []), self.now]).check_read(
                found, (slice(None),) * found.ndim, unit, stale=True
            )
        self.update_from(found)
