"""TIFF files of all layouts, written by tifffile, and what they hold in the order of zarrscope's dimensions."""

from __future__ import annotations

import io
from typing import Any

import tifffile

from zarrcore.hierarchy import ArrayNode
from zarrcore.hierarchy.collections.collection import open_place
from zarrcore.stores import MemoryStore
from zarrcore.stores.interface import ReadableStore
from zarrcore.stores.tiff.store import TiffStore
from zarrcore.typing import AnyArray

Elements = AnyArray


def written(data: Elements, **options: Any) -> bytes:
    """A file of one image."""
    file = io.BytesIO()
    tifffile.imwrite(file, data, **options)
    return file.getvalue()


def pyramid(levels: list[Elements], *, as_pages: bool = False, **options: Any) -> bytes:
    """A file of one image with several resolutions, in SubIFDs or in pages of their own."""
    file = io.BytesIO()
    subifds = {} if as_pages else {"subifds": len(levels) - 1}
    with tifffile.TiffWriter(file) as writer:
        writer.write(levels[0], **subifds, **options)
        for level in levels[1:]:
            writer.write(level, subfiletype=1, **{**options, "metadata": None})
    return file.getvalue()


def store_of(content: bytes, name: str = "a.tif") -> TiffStore:
    """A file as a store."""
    return opened(MemoryStore("memory://", {name: content}), name)


def opened(source: ReadableStore, name: str) -> TiffStore:
    """A file in a store as a store."""
    return TiffStore(source, name, f"{source.url}{name}")


def array(content: bytes, path: str = "0") -> ArrayNode:
    """An array of a file."""
    node = open_place(store_of(content)).node(path)
    assert isinstance(node, ArrayNode)
    return node


def as_shown(data: Elements, axes: str) -> Elements:
    """Elements in the order of zarrscope's dimensions, with samples as a part of the channels.

    >>> import numpy as np
    >>> as_shown(np.zeros((2, 4, 5, 3)), "CYXS").shape
    (6, 4, 5)
    """
    order = {"T": 0, "C": 2, "S": 3, "Z": 4, "Y": 5, "X": 6}
    places = sorted(range(len(axes)), key=lambda place: order.get(axes[place], 1))
    moved = data.transpose(places)
    if "C" in axes and "S" in axes:
        at = [axes[place] for place in places].index("C")
        moved = moved.reshape(*moved.shape[:at], -1, *moved.shape[at + 2 :])
    return moved


def expected(content: bytes, series: int = 0, level: int = 0) -> Elements:
    """What tifffile reads, in the order of zarrscope's dimensions."""
    with tifffile.TiffFile(io.BytesIO(content)) as file:
        found = file.series[series].levels[level]
        return as_shown(found.asarray(), found.axes)
