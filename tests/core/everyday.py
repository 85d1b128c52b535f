"""A client of the library, typed as strictly as mypy can: the settings of this module are those of programs of others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import zarrscope as zc


def made(place: Path, data: npt.NDArray[np.int16]) -> list[str]:
    """Create groups and arrays, from data and empty, and change them."""
    with zc.open_group(place, mode="w", storage_options={}) as root:
        root.attrs["title"] = "everyday"
        images = root.create_group("images", attributes={"unit": "nm"})
        stack = images.create_array("stack", data=data, chunks=(1, 2, 2), dimension_names=["z", "y", "x"])
        shape: tuple[int, ...] = stack.append(data[:1])
        root["copy"] = stack[:2]
        root.require_array("empty", shape=shape[0], dtype="float32", compressors=()).resize(8)
        root.require_group("old/older")
        del root["old/older"]
        return [root.tree(), *root]


def listed(place: Path) -> dict[str, str]:
    """List nodes, and walk over all of them."""
    opened = zc.open(place)
    kinds: dict[str, str] = {}
    if isinstance(opened, zc.Hierarchy):
        for node in opened.walk():
            kinds[node.path] = node.kind
            if isinstance(node, zc.BrokenNode):
                raise node.error
        for name, array in opened.arrays():
            kinds[name] = array.dtype.name
        for name, group in opened.groups():
            kinds[name] = ",".join(group.keys())
        for name, member in opened.items():
            kinds[f"{name}?"] = str(member.attributes.get("unit"))
    return kinds


def read(place: Path) -> tuple[npt.NDArray[Any], object, tuple[int | tuple[int, ...], ...]]:
    """Read a slice, an attribute and the chunks."""
    array: zc.ArrayNode = zc.open_array(place, "images/stack")
    plane: npt.NDArray[Any] = array[1, :, 0:2]
    root: zc.Hierarchy = zc.open_hierarchy(place)
    assert root.array("images/stack").shape == root.group("images").array("stack").shape
    return plane, root.attrs["title"], array.chunks


def copied(place: Path, other: Path) -> str:
    """Copy an array to another format."""
    with zc.create(other, format="n5") as hierarchy:
        copy = hierarchy.create_array("deep/copy", data=zc.open_array(f"{place}#/images/stack"), chunks=2)
        return copy.hierarchy.format.name


def refused(root: zc.Group, place: Path) -> None:
    """What a type checker refuses: an ignored error that does not exist is one."""
    root.create_array("x", shape=3, dtype="i2", chunk=2)  # type: ignore[arg-type]
    root["x"].append([1])  # type: ignore[union-attr]
    root[3]  # type: ignore[index]
    zc.open_array(place, mode="x")  # type: ignore[arg-type]
