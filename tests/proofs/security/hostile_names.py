"""Hierarchies whose names, attributes and units attack whatever shows or uses them."""

from __future__ import annotations

import json
from typing import Final

import numpy as np

import zarrcore as zc
from zarrcore.stores import MemoryStore

NAMES: Final = (
    "\x1b]0;owned\x07",
    "\x1b[2J\x1b[31m",
    "line\nbreak",
    "return\rover",
    "tab\tab",
    "\u202etxt.exe",
    "\u2028separator",
    "<img src=track.png>",
    "<b>bold<i>&amp;",
    "[bold red]rich[blink]",
    "{0.__class__}%s%n",
    "$(touch owned)`touch owned`",
    "; touch owned",
    "--help",
    "-rf",
    "~",
    "con.",
    "x" * 200,
    "e\u0301\u200b",
    "\x7f\x9b31m",
)
"""Names that a store may hold; each is a name of an array."""


def hostile_values() -> dict[str, bytes]:
    """The keys and values of a hierarchy with an array of each name, which is also in its attributes and dimension names."""
    store = MemoryStore()
    hierarchy = zc.create(store)
    hierarchy.create_group("/", attributes={name: name for name in NAMES}, overwrite=True)
    for name in NAMES:
        attributes = {"units": name, "long_name": name, "description": name, name: [name]}
        hierarchy.create_array(
            name, shape=(2, 3), dtype="int16", dimension_names=[name, "x"], attributes=attributes
        )[...] = np.arange(6).reshape(2, 3)
    hierarchy.create_group("broken")
    store.set("broken/zarr.json", json.dumps({"zarr_format": 3, "node_type": NAMES[0] + NAMES[2]}).encode())
    return {entry.key: bytes(store.get(entry.key) or b"") for entry in store.list()}
