"""Datasets of CF: groups of variables that share dimensions.

CF conventions, 2.6.1 "Identification of Conventions".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from zarrcore.conventions.cf.grid_mapping import grid_mapping_crs
from zarrcore.conventions.values import text
from zarrcore.conventions.variable import Dataset

TITLE: Final = "CF"
_VERSION: Final = re.compile(r"\bCF-(\d[\w.]*)")


def version_of(attributes: Mapping[str, Any]) -> str | None:
    """The version of CF that a group names."""
    match = _VERSION.search(text(attributes.get("Conventions")))
    return match[1] if match else None


def titled(attributes: Mapping[str, Any]) -> str:
    """CF, with the version that a group names."""
    version = version_of(attributes)
    return TITLE if version is None else f"{TITLE} {version}"


def is_coordinate(array: Any) -> bool:
    """Whether an array is the coordinates of its only dimension."""
    return tuple(array.dimension_names or ()) == (array.name,)


def read_dataset(group: Any, children: Iterable[Any] | None = None) -> Dataset:
    """The dataset of a group.

    Args:
        group: the group.
        children: its children, if they are known.

    Raises:
        StoreError: the store failed.
    """
    arrays: list[Any] = []
    broken: list[str] = []
    dimensions: dict[str, int] = {}
    # xarray names coordinates that no variable uses in an attribute of the group.
    auxiliary = set(text(group.attributes.get("coordinates")).split())
    for child in group.children() if children is None else children:
        if child.kind == "broken":
            broken.append(child.name)
        if child.kind != "array":
            continue
        names = child.dimension_names or ()
        dimensions |= {name: length for name, length in zip(names, child.shape, strict=False) if name}
        if child.ndim == 0 and grid_mapping_crs(child.attributes) is not None:
            continue  # it holds only the attributes of a CRS
        arrays.append(child)
        auxiliary.update(text(child.attributes.get("coordinates")).split())
    coordinates = {array.name for array in arrays if is_coordinate(array) or array.name in auxiliary}
    return Dataset(
        titled(group.attributes),
        text(group.attributes.get("title")),
        tuple(array.name for array in arrays if array.name not in coordinates),
        tuple(array.name for array in arrays if array.name in coordinates),
        dimensions,
        tuple(broken),
    )
