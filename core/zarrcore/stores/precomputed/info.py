"""The document ``info`` of a volume.

Specification: Neuroglancer, "Precomputed format", "Volume" and "Sharded format". Lengths there are in the order x, y, z.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from zarrcore.printable import json_fault

INFO: Final = "info"
MAX_INFO_NBYTES: Final = 16 << 20
VOLUME: Final = "neuroglancer_multiscale_volume"
SHARDED: Final = "neuroglancer_uint64_sharded_v1"

DATA_TYPES: Final = (
    "uint8",
    "int8",
    "uint16",
    "int16",
    "uint32",
    "int32",
    "uint64",
    "int64",
    "float32",
    "float64",
)
ENCODINGS: Final = ("raw", "jpeg", "png", "jxl", "compressed_segmentation")
"""The encodings that can be read."""

_MAX_LENGTH: Final = 1 << 60
_MAX_CHUNK_LENGTH: Final = 1 << 31
_MAX_CHANNELS: Final = 1 << 16
_MAX_SCALES: Final = 1000

Lengths = tuple[int, int, int]
"""Numbers of voxels in the order x, y, z."""


class InfoError(ValueError):
    """The document, or a scale in it, is not what the format demands; the message is a part of a sentence."""


@dataclass(frozen=True, slots=True)
class Sharding:
    """Where the chunks of a sharded scale are."""

    preshift_bits: int
    is_hashed: bool
    """Whether identifiers are hashed by MurmurHash3_x86_128."""
    minishard_bits: int
    shard_bits: int
    is_index_compressed: bool
    is_data_compressed: bool


@dataclass(frozen=True, slots=True)
class Scale:
    """One resolution of a volume."""

    name: str
    """The name of its array."""
    folder: str
    """The prefix of its chunks, with a slash at its end."""
    size: Lengths
    offset: Lengths
    chunk_size: Lengths
    resolution: tuple[float, float, float]
    """Nanometres per voxel."""
    encoding: str
    block_size: Lengths | None
    """The blocks of ``compressed_segmentation``."""
    sharding: Sharding | None
    told: Mapping[str, Any]
    """All its members."""

    @property
    def grid_shape(self) -> Lengths:
        """The number of chunks along x, y and z."""
        x, y, z = (-(-length // chunk) for length, chunk in zip(self.size, self.chunk_size, strict=True))
        return x, y, z


@dataclass(frozen=True, slots=True)
class BrokenScale:
    """A scale that cannot be shown."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class Volume:
    """A parsed ``info``."""

    data_type: str
    channels: int
    scales: tuple[Scale | BrokenScale, ...]
    told: Mapping[str, Any]
    """The members of ``info``, without the scales."""

    @property
    def is_segmentation(self) -> bool:
        return self.told.get("type") == "segmentation"

    def scale(self, name: str) -> Scale | BrokenScale | None:
        """The scale of this name."""
        return next((scale for scale in self.scales if scale.name == name), None)


def is_info(head: bytes) -> bool:
    """Whether the document ``info`` of a folder is that of a volume.

    >>> is_info(b'{"@type": "neuroglancer_multiscale_volume"}'), is_info(b'{"@type": "neuroglancer_skeletons"}')
    (True, False)
    """
    if b"scales" not in head and VOLUME.encode() not in head:
        return False
    try:
        told = json.loads(head)
    except (ValueError, RecursionError):
        return VOLUME.encode() in head  # opening it says what is wrong
    if not isinstance(told, dict):
        return False
    if "@type" in told:
        return bool(told["@type"] == VOLUME)
    return {"data_type", "num_channels", "scales"} <= told.keys()


def parse_info(document: bytes) -> Volume:
    """The volume that a document describes. A broken scale does not hide the others.

    Raises:
        InfoError: the document is broken.
    """
    try:
        told = json.loads(document, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InfoError(f"it is not JSON: {json_fault(error)}") from error
    if not isinstance(told, dict):
        raise InfoError("it is not a JSON object")
    scales = told.get("scales")
    if not isinstance(scales, list) or not scales or not all(isinstance(scale, dict) for scale in scales):
        raise InfoError("its scales are not a list of objects")
    if len(scales) > _MAX_SCALES:
        raise InfoError(f"it has {len(scales):,} scales")
    data_type = str(told.get("data_type")).lower()
    if data_type not in DATA_TYPES:
        raise InfoError(f"its data_type is {_shown(told.get('data_type'))}")
    channels = _integer(told.get("num_channels", 1), "num_channels", 1, _MAX_CHANNELS)
    names = _names(scales)
    parsed: list[Scale | BrokenScale] = []
    for name, scale in zip(names, scales, strict=True):
        try:
            parsed.append(_scale(name, scale, data_type, channels))
        except InfoError as error:
            parsed.append(BrokenScale(name, str(error)))
    rest = {name: value for name, value in told.items() if name != "scales"}
    return Volume(data_type, channels, tuple(parsed), rest)


def _refuse_constant(text: str) -> Any:
    raise ValueError(f"{text} is not JSON")


def _names(scales: list[dict[str, Any]]) -> list[str]:
    """The keys if they can be names of nodes, or else the numbers of the scales."""
    keys = [scale.get("key") for scale in scales]
    names = [key for key in keys if isinstance(key, str) and _is_name(key)]
    if len(set(names)) == len(keys):
        return names
    return [str(number) for number in range(len(keys))]


def _is_name(key: str) -> bool:
    return (
        0 < len(key.encode(errors="replace")) < 256
        and key not in (".", "..", "zarr.json")
        and not key.startswith("__")
        and not any(sign in key for sign in "/\\\0")
        and key.isprintable()
    )


def _scale(name: str, told: dict[str, Any], data_type: str, channels: int) -> Scale:
    encoding = str(told.get("encoding")).lower()
    if encoding not in ENCODINGS:
        raise InfoError(f"its encoding is {_shown(told.get('encoding'))}")
    sizes = told.get("chunk_sizes")
    if not isinstance(sizes, list) or not sizes:
        raise InfoError("it has no chunk_sizes")
    block_size = None
    if encoding == "compressed_segmentation":
        block = told.get("compressed_segmentation_block_size")
        block_size = _lengths(block, "compressed_segmentation_block_size", 1, _MAX_CHUNK_LENGTH)
    _check_encoding(encoding, data_type, channels)
    scale = Scale(
        name,
        _folder(told.get("key")),
        _lengths(told.get("size"), "size", 0, _MAX_LENGTH),
        _lengths(told.get("voxel_offset", [0, 0, 0]), "voxel_offset", -_MAX_LENGTH, _MAX_LENGTH),
        _lengths(sizes[0], "chunk_sizes", 1, _MAX_CHUNK_LENGTH),
        _resolution(told.get("resolution")),
        encoding,
        block_size,
        None if told.get("sharding") is None else _sharding(told["sharding"]),
        told,
    )
    if (
        scale.sharding is not None
        and sum((count - 1).bit_length() for count in scale.grid_shape if count) > 64
    ):
        raise InfoError("it has more chunks than its shards can name")
    return scale


def _check_encoding(encoding: str, data_type: str, channels: int) -> None:
    possible = {
        "compressed_segmentation": data_type in ("uint32", "uint64"),
        "jpeg": data_type == "uint8" and channels in (1, 3),
        "png": data_type in ("uint8", "uint16") and channels <= 4,
        "jxl": data_type in ("uint8", "uint16") and channels <= 4,
    }
    if not possible.get(encoding, True):
        raise InfoError(f"its encoding {encoding} cannot hold {channels} channels of {data_type}")


def _folder(key: Any) -> str:
    """The prefix that a key names. It must not lead out of the folder of ``info``."""
    if not isinstance(key, str) or "\0" in key or "\\" in key:
        raise InfoError(f"its key is {_shown(key)}")
    if key.startswith("/") or "://" in key:
        raise InfoError(f"its key {_shown(key)} leads out of its folder")
    parts: list[str] = []
    for part in key.split("/"):
        if part == ".." and not parts:
            raise InfoError(f"its key {_shown(key)} leads out of its folder")
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "".join(f"{part}/" for part in parts)


def _sharding(told: Any) -> Sharding:
    if not isinstance(told, dict) or told.get("@type") != SHARDED:
        raise InfoError(
            f"its sharding is of the type {_shown(told.get('@type') if isinstance(told, dict) else told)}"
        )
    bits = [
        _integer(told.get(name, 0), name, 0, 64) for name in ("preshift_bits", "minishard_bits", "shard_bits")
    ]
    if bits[1] + bits[2] > 64 or bits[1] > 40:
        raise InfoError(f"its sharding has {bits[1]} minishard_bits and {bits[2]} shard_bits")
    hashes = {"identity": False, "murmurhash3_x86_128": True}
    codings = {"raw": False, "gzip": True}
    return Sharding(
        bits[0],
        _choice(told.get("hash"), "hash", hashes),
        bits[1],
        bits[2],
        _choice(told.get("minishard_index_encoding", "raw"), "minishard_index_encoding", codings),
        _choice(told.get("data_encoding", "raw"), "data_encoding", codings),
    )


def _choice(value: Any, name: str, choices: dict[str, bool]) -> bool:
    if not isinstance(value, str) or value not in choices:
        raise InfoError(f"its {name} is {_shown(value)}")
    return choices[value]


def _resolution(value: Any) -> tuple[float, float, float]:
    numbers = value if isinstance(value, list) else []
    if len(numbers) != 3 or not all(map(_is_positive, numbers)):
        raise InfoError(f"its resolution is {_shown(value)}")
    x, y, z = map(float, numbers)
    return x, y, z


def _is_positive(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 < value <= sys.float_info.max and math.isfinite(value)


def _lengths(value: Any, name: str, minimum: int, maximum: int) -> Lengths:
    if not isinstance(value, list) or len(value) != 3:
        raise InfoError(f"its {name} is {_shown(value)}")
    x, y, z = (_integer(length, name, minimum, maximum) for length in value)
    return x, y, z


def _integer(value: Any, name: str, minimum: int, maximum: int) -> int:
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # some writers compute lengths as floats
    if not isinstance(value, int) or isinstance(value, bool) or not minimum <= value <= maximum:
        raise InfoError(f"its {name} is {_shown(value)}")
    return value


def _shown(value: Any) -> str:
    """A value for an error: short, of one line."""
    text = repr(value) if isinstance(value, str | float | bool | None) else type(value).__name__
    if isinstance(value, list) and len(value) <= 4:
        text = f"[{', '.join(map(_shown, value))}]"
    elif isinstance(value, int) and not isinstance(value, bool):
        text = str(value) if abs(value) < _MAX_LENGTH * 16 else "beyond all limits"
    return text if len(text) <= 80 else f"{text[:77]}…"
