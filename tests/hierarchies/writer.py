"""Arrays written by zarr-python, and their expected content."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import zarr

Expected = dict[str, np.ndarray]
"""The content of each array of a hierarchy by its path (``/types/int8``)."""

ATTRIBUTES: dict[str, Any] = {
    "title": "Größenänderung ÷ 漢字 🧠",
    "nested": {"list": [1, 2.5, None, True, "x"], "empty": {}},
    "units": "µm",
}
"""Attributes of the root and of the array /names/attributes."""

CORE_TYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)
SHAPE, CHUNKS = (5, 10), (3, 4)  # edge chunks on both axes


class HierarchyWriter:
    """A hierarchy being written, and its expected content."""

    def __init__(self, root: str | os.PathLike[str], zarr_format: int) -> None:
        self.root = Path(root)
        self.zarr_format = zarr_format
        self.expected: Expected = {}
        with warnings.catch_warnings(action="ignore"):
            self.group = zarr.create_group(self.root, zarr_format=zarr_format, attributes=ATTRIBUTES)

    def add(
        self,
        path: str,
        data: np.ndarray,
        *,
        stored: Sequence[tuple[slice, ...]] | None = None,
        document: Mapping[str, Any] | None = None,
        fill: Any = None,
        read_back: np.ndarray | None = None,
        **options: Any,
    ) -> None:
        """Write ``data`` at ``path`` with zarr-python, with these options of its ``create_array``.

        Args:
            stored: only these parts are written; the rest are missing chunks, expected to read as the fill value
            document: members to set in the metadata document afterwards; those that are ``...`` are removed
            fill: the fill value, if it differs from the one given to zarr-python (``options["fill_value"]``)
            read_back: the expected content, if a filter loses precision or the document was given another type
        """
        parent, _, name = path.strip("/").rpartition("/")
        options = {"chunks": CHUNKS, **options}
        with warnings.catch_warnings(action="ignore"):
            group = self.group.require_group(parent) if parent else self.group
            array = group.create_array(
                name, shape=data.shape, dtype=data.dtype, config={"write_empty_chunks": True}, **options
            )
            for part in [...] if stored is None else stored:
                array[part] = data[part]
        if document:
            self._patch(path, document)
        data = data if read_back is None else read_back
        native = data.dtype.newbyteorder("=")  # of the fields too
        expected = np.full(data.shape, options.get("fill_value", 0) if fill is None else fill, native)
        for part in [...] if stored is None else stored:
            expected[part] = data.astype(native)[part]
        self.expected["/" + path.strip("/")] = expected

    def _patch(self, path: str, members: Mapping[str, Any]) -> None:
        name = "zarr.json" if self.zarr_format == 3 else ".zarray"
        file = self.root / path.strip("/") / name
        merged = {**json.loads(file.read_text()), **members}
        file.write_text(json.dumps({key: value for key, value in merged.items() if value is not ...}))
