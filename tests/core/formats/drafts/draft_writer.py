"""A writer for the drafts of Zarr version 3, made from their texts alone: it imports nothing of zarrcore.

A draft is told by the day of its text. A hierarchy is a dictionary of nodes by path, a store one of values by key. Groups above
a node need not be given: in all drafts they are implied.
"""

from __future__ import annotations

import gzip
import itertools
import json
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from zarrcore.typing import AnyArray

CORE = "https://purl.org/zarr/spec/protocol/core/3.0"
NEW_CORE = "https://purl.org/zarr/spec/core/3.0"
SHARDING = "https://purl.org/zarr/spec/storage_transformers/sharding/1.0"


@dataclass(frozen=True)
class Array:
    """An array, and how to store it."""

    values: AnyArray
    chunks: tuple[int, ...]
    fill_value: Any = 0
    """As JSON has it; the elements of a chunk that hold nothing else, and those beyond the edges, have its value."""
    fill: Any = 0
    """The same as NumPy has it."""
    order: str = "C"
    endian: str = "<"
    separator: str = "/"
    gzip: bool = True
    chunks_per_shard: tuple[int, ...] = ()
    attributes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Draft:
    """What one text says."""

    name: str
    """The format's name in this project."""
    entry_point: dict[str, Any] | None
    root: str = "meta/root.{kind}{suffix}"
    node: str = "meta/root{path}.{kind}{suffix}"
    data: str = "data/root{path}/"
    lead: str = "c"
    separator: str = "/"
    codecs: str = "compressor"
    """The member that tells how chunks are encoded."""
    codec: str = "https://purl.org/zarr/spec/codec/{name}/1.0"
    named: str = "codec"
    """The member of a codec that names it."""
    memory_layout: bool = True
    new_types: bool = False
    sharding: Any = None
    """The storage transformer without the number of chunks."""


_OBJECT = {"type": "json", "metadata_key_suffix": ".json"}
_D3 = {"zarr_format": CORE, "metadata_encoding": CORE, "metadata_key_suffix": ".json", "extensions": []}
_D4 = {"zarr_format": NEW_CORE, "metadata_encoding": _OBJECT, "extensions": []}
_CHAIN: dict[str, Any] = {
    "codecs": "codecs",
    "codec": "https://purl.org/zarr/spec/codecs/{name}/1.0",
    "named": "type",
    "new_types": True,
    "sharding": {"extension": SHARDING, "type": "indexed"},
}
_WITHOUT_ROOT = {"root": "meta/{kind}{suffix}", "node": "meta{path}.{kind}{suffix}", "data": "data{path}/"}
_PER_NODE = {"root": "zarr.json", "node": "{path}/zarr.json", "data": "{path}/", "memory_layout": False}

DRAFTS: dict[str, Draft] = {
    "2019-05-14": Draft(
        "draft-2019-05",
        None,
        data="data{path}/",
        lead="",
        separator=".",
        codecs="chunk_codecs",
        codec="http://purl.org/zarr/spec/codec/{name}",
    ),
    "2019-06-19": Draft(
        "draft-2019-06",
        {
            "zarr_format": CORE.replace("https", "http"),
            "metadata_encoding": "application/json",
            "extensions": [],
        },
        data="data{path}/",
        lead="",
        separator=".",
        codec="http://purl.org/zarr/spec/codec/{name}",
    ),
    "2020-08-04": Draft(
        "draft-2019-06",
        {"zarr_format": CORE, "metadata_encoding": "https://tools.ietf.org/html/rfc8259", "extensions": []},
        data="data{path}/",
        lead="",
    ),
    "2020-09-04": Draft("draft-2020-09", {"zarr_format": CORE, "metadata_encoding": CORE, "extensions": []}),
    "2020-10-16": Draft(
        "draft-2020-10",
        _D3,
        sharding={"storage_transformer": SHARDING, "configuration": {"format": "indexed"}},
    ),
    "2022-05-25": Draft(
        "draft-2020-10",
        {**_D3, "zarr_format": NEW_CORE, "metadata_encoding": NEW_CORE, "metadata_key_suffix": ".meta"},
        sharding={"extension": SHARDING, "type": "indexed"},
    ),
    "2022-11-18": Draft("draft-2020-10", {**_D3, "zarr_format": NEW_CORE}, **_CHAIN),
    "2022-12-01": Draft("draft-2022-12", _D4, **_CHAIN),
    "2022-12-02": Draft("draft-2022-12", _D4, **_CHAIN, **_WITHOUT_ROOT),
    "2023-01-18": Draft("draft-2022-12", _D4, **_CHAIN, **_WITHOUT_ROOT, memory_layout=False),
    "2023-02-09": Draft("draft-2023-02", None, **_CHAIN, **_PER_NODE, lead="c+"),
    "2023-02-21": Draft(
        "draft-2023-02",
        None,
        **{**_CHAIN, **_PER_NODE, "codec": "{name}", "named": "name", "sharding": {"name": "sharding"}},
        lead="c+",
    ),
}
"""The texts by their day."""


def write(day: str, nodes: dict[str, Array | dict[str, Any]]) -> dict[str, bytes]:
    """The values by key of a hierarchy, in which a dictionary stands for a group with these attributes."""
    draft = DRAFTS[day]
    store: dict[str, bytes] = {}
    if draft.entry_point is not None:
        store["zarr.json"] = json.dumps(draft.entry_point).encode()
    for path, node in nodes.items():
        kind = "array" if isinstance(node, Array) else "group"
        template = draft.root if path == "/" else draft.node
        key = template.format(path=path, kind=kind, suffix=suffix_of(draft)).removeprefix("/")
        document = array_document(day, node) if isinstance(node, Array) else {"attributes": node}
        store[key] = json.dumps({**_head(day, kind), **document}).encode()
        if isinstance(node, Array):
            prefix = draft.data.format(path="" if path == "/" else path).removeprefix("/")
            for index, data in _stored(day, node):
                store[prefix + chunk_key(draft, node.separator, index)] = data
    return store


def suffix_of(draft: Draft) -> str:
    """What the keys of documents end with."""
    entry = draft.entry_point or {}
    encoding = entry.get("metadata_encoding")
    where = encoding if isinstance(encoding, dict) else entry
    return str(where.get("metadata_key_suffix", ""))


def chunk_key(draft: Draft, separator: str, index: tuple[int, ...]) -> str:
    """A chunk's name within its array."""
    indices = separator.join(map(str, index))
    if draft.lead == "c+":
        return separator.join(("c", *map(str, index)))
    return draft.lead + indices if index or draft.lead else "0"


def _head(day: str, kind: str) -> dict[str, Any]:
    match day:
        case "2019-05-14":
            return {"zarr_format": CORE.replace("https", "http"), "extensions": []}
        case "2023-02-09":
            return {"zarr_format": f"https://purl.org/zarr/spec/v3#{kind}"}
        case "2023-02-21":
            return {"zarr_format": 3, "node_type": kind}
    return {"extensions": []} if kind == "array" else {}


def array_document(day: str, array: Array) -> dict[str, Any]:
    """What the text of a day has in an array's document, but for what it has in all documents."""
    draft = DRAFTS[day]
    dtype = array.values.dtype
    document: dict[str, Any] = {
        "shape": list(array.values.shape),
        "data_type": dtype.name if draft.new_types else _old_type(dtype, array.endian),
        "fill_value": array.fill_value,
        "attributes": array.attributes,
    }
    grid: dict[str, Any] = {"chunk_shape": list(array.chunks)}
    if array.separator != draft.separator or draft.new_types:
        grid["separator"] = array.separator
    document["chunk_grid"] = {"type": "regular", **grid}
    if day == "2023-02-21":
        document["chunk_grid"] = {"name": "regular", "configuration": grid}
    if draft.memory_layout:
        document["chunk_memory_layout"] = array.order
    codecs = _codecs(draft, array)
    if draft.codecs != "compressor":
        document[draft.codecs] = codecs
    elif codecs:
        document["compressor"] = codecs[0]
    if array.chunks_per_shard:
        configuration = {
            **draft.sharding.get("configuration", {}),
            "chunks_per_shard": list(array.chunks_per_shard),
        }
        document["storage_transformers"] = [{**draft.sharding, "configuration": configuration}]
    return document


def _old_type(dtype: np.dtype[Any], endian: str) -> str:
    if dtype.kind == "b":
        return "bool"
    return f"{endian if dtype.itemsize > 1 else ''}{dtype.kind}{dtype.itemsize}"


def _codecs(draft: Draft, array: Array) -> list[dict[str, Any]]:
    found: list[tuple[str, dict[str, Any]]] = []
    if not draft.memory_layout and array.order == "F":
        found.append(("transpose", {"order": "F"}))
    if draft.new_types and array.endian == ">":
        found.append(("endian", {"endian": "big"}))
    if array.gzip:
        found.append(("gzip", {"level": 1}))
    inline = draft.codecs == "chunk_codecs"
    return [
        {
            draft.named: draft.codec.format(name=name),
            **(parameters if inline else {"configuration": parameters}),
        }
        for name, parameters in found
    ]


def _stored(day: str, array: Array) -> list[tuple[tuple[int, ...], bytes]]:
    """Index and bytes of each chunk, or shard, that holds anything but the fill value."""
    chunks = {}
    shape = array.values.shape
    counts = [-(-length // chunk) for length, chunk in zip(shape, array.chunks, strict=True)]
    fill = np.asarray(array.fill).astype(array.values.dtype)
    for index in itertools.product(*map(range, counts)):
        part = array.values[
            tuple(slice(i * n, (i + 1) * n) for i, n in zip(index, array.chunks, strict=True))
        ]
        chunk = np.full(array.chunks, fill)
        chunk[tuple(map(slice, part.shape))] = part
        if chunk.tobytes() != np.full(array.chunks, fill).tobytes():
            data = chunk.astype(chunk.dtype.newbyteorder(array.endian)).tobytes(order=array.order)
            chunks[index] = gzip.compress(data, 1, mtime=0) if array.gzip else data
    if not array.chunks_per_shard:
        return list(chunks.items())
    shards: dict[tuple[int, ...], dict[tuple[int, ...], bytes]] = {}
    for index, data in chunks.items():
        per = array.chunks_per_shard
        shard = tuple(i // n for i, n in zip(index, per, strict=True))
        shards.setdefault(shard, {})[tuple(i % n for i, n in zip(index, per, strict=True))] = data
    return [(index, _shard(array.chunks_per_shard, inner)) for index, inner in shards.items()]


def _shard(counts: tuple[int, ...], chunks: dict[tuple[int, ...], bytes]) -> bytes:
    """Chunks one after the other, the last one first, and then where each begins and how long it is."""
    entries = np.full((math.prod(counts), 2), 2**64 - 1, "<u8")
    body = b""
    for index in sorted(chunks, reverse=True):
        entries[np.ravel_multi_index(index, counts)] = len(body), len(chunks[index])
        body += chunks[index]
    return body + entries.tobytes()
