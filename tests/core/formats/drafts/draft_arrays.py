"""Arrays of the drafts, for tests to write and change."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import zarrcore
from tests.core.formats.drafts.draft_writer import (
    DRAFTS,
    Array,
    array_document,
    write,
)
from zarrcore.stores import MemoryStore

each_draft = pytest.mark.parametrize("day", DRAFTS)


SHARDED = [day for day, draft in DRAFTS.items() if draft.sharding]


VALUES = np.arange(30, dtype="i4").reshape(5, 6)


ARRAY = Array(VALUES, (2, 4), attributes={"units": "m"})


TYPES = ["bool", *(f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)), "f2", "f4", "f8", "c8", "c16"]


def store_of(values: dict[str, bytes]) -> MemoryStore:
    store = MemoryStore()
    for key, value in values.items():
        store.set(key, value)
    return store


def array_at(hierarchy: zarrcore.Hierarchy, path: str) -> zarrcore.Array:
    found = hierarchy[path]
    assert isinstance(found, zarrcore.Array)
    return found


@st.composite
def arrays(draw: st.DrawFn, day: str) -> Array:
    """Elements of any core type in chunks of any shape, and any way that the text knows to store them."""
    dtype = np.dtype(draw(st.sampled_from(TYPES)))
    shape = tuple(draw(st.lists(st.integers(0, 7), max_size=3)))
    raw = draw(st.binary(min_size=dtype.itemsize, max_size=dtype.itemsize))
    fill = np.frombuffer(bytes(b & 1 for b in raw) if dtype.kind == "b" else raw, dtype)[0]
    values = np.full(shape, fill)
    for _ in range(draw(st.integers(0, 3)) if values.size else 0):
        values[tuple(draw(st.integers(0, n - 1)) for n in shape)] = draw(st.integers(0, 1))
    return Array(
        values,
        tuple(draw(st.integers(1, 4)) for _ in shape),
        draw(st.sampled_from(spellings(fill))),
        fill,
        draw(st.sampled_from("CF")),
        draw(st.sampled_from("<>")) if dtype.itemsize > 1 else "<",
        draw(st.sampled_from("/.")),
        draw(st.booleans()),
        tuple(draw(st.integers(1, 3)) for _ in shape)
        if shape and day in SHARDED and draw(st.booleans())
        else (),
        draw(st.dictionaries(st.text(max_size=5), st.integers(), max_size=2)),
    )


def spellings(fill: Any) -> list[Any]:
    """What JSON may have for an element."""
    if fill.dtype.kind == "b":
        return [bool(fill)]
    if fill.dtype.kind == "c":
        return [list(parts) for parts in zip(spellings(fill.real), spellings(fill.imag), strict=False)]
    bits = int.from_bytes(fill.tobytes(), "little")
    size = fill.dtype.itemsize
    found: list[Any] = [f"0x{bits:0{2 * size}x}", f"0b{bits:0{8 * size}b}"]
    if fill.dtype.kind != "f":
        return [*found, int(fill)]
    if np.isfinite(fill):
        return [*found, float(fill)]
    return [*found, "+Infinity" if fill > 0 else "-Infinity"] if np.isinf(fill) else found


def entry_point(**members: Any) -> dict[str, Any]:
    document = {**(DRAFTS["2020-10-16"].entry_point or {}), **members}
    return {name: value for name, value in document.items() if value is not ...}


UNKNOWN = {"extension": "https://example.org/fancy", "must_understand": True}


def parse(day: str, **members: Any) -> zarrcore.Array:
    document = {**array_document(day, ARRAY), **members}
    values = write(day, {"/a": ARRAY})
    key = next(key for key in values if key != "zarr.json" and b"shape" in values[key])
    document = {**json.loads(values[key]), **document}
    values[key] = json.dumps({name: value for name, value in document.items() if value is not ...}).encode()
    return array_at(zarrcore.open_hierarchy(store_of(values), format=DRAFTS[day].name), "a")


DATETIME = "https://purl.org/zarr/spec/protocol/extensions/datetime-dtypes/1.0"
