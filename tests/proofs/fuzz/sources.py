"""What holds for each source of another kind, such as an HDF5 or a TIFF file, however broken it is."""

from __future__ import annotations

from itertools import islice
from typing import Final

from zarrcore.errors import ZarrError
from zarrcore.hierarchy import ArrayNode
from zarrcore.hierarchy.collections.collection import open_place
from zarrcore.stores.virtual.store import VirtualStore

_NODES: Final = 60
_KEYS: Final = 200
_MAX_SIZE: Final = 1 << 16


def check_source(store: VirtualStore) -> None:
    """All nodes of a source open, small arrays are read, and keys have a size; or an error says why not."""
    try:
        for node in islice(open_place(store).walk(), _NODES):
            if isinstance(node, ArrayNode) and node.size <= _MAX_SIZE:
                _check_shape(node)
        for entry in islice(store.list_prefix(""), _KEYS):
            store.stat(entry.key)
    except ZarrError as error:
        check_sentence(error)


def _check_shape(array: ArrayNode) -> None:
    try:
        assert array[...].shape == array.shape
    except ZarrError as error:
        check_sentence(error)


def check_sentence(error: ZarrError) -> None:
    """An error is one line."""
    assert str(error), type(error)
    assert "\n" not in str(error)
