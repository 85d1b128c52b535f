"""Nodes with attributes that no store could hold, or that need no store."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any


def described(path: str, attributes: Mapping[str, Any], hierarchy: Any = None, kind: str = "group") -> Any:
    """A node that has these attributes."""
    name = path.rpartition("/")[2]
    return SimpleNamespace(
        path=path,
        name=name,
        kind=kind,
        attributes=attributes,
        hierarchy=hierarchy,
        fill_value_is_missing=False,
    )
