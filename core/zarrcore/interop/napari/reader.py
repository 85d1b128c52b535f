"""What napari asks for the layers of a path."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

from zarrcore.array import ChunkCache
from zarrcore.errors import HierarchyNotFoundError, NodeNotFoundError, UnsupportedError, ZarrError
from zarrcore.hierarchy import Hierarchy, normalize_path, open_hierarchy
from zarrcore.interop.napari.contrast import with_contrast
from zarrcore.interop.napari.layer_data import LayerData
from zarrcore.interop.napari.nodes import holds_hierarchies, layers_of
from zarrcore.stores import ReadableStore

OPTIONS: Final = "ZARRSCOPE_NAPARI_OPTIONS"
"""The environment variable with options of stores, as a JSON object: napari gives a reader nothing but a path."""
_CACHE_NBYTES: Final = 512 << 20

Read = Callable[..., list[LayerData]]


def get_reader(path: str | Sequence[str]) -> Read | None:
    """The function that makes layers of a path or URL; None if it holds nothing that zarrscope opens, or for several paths."""
    if not isinstance(path, str):
        if len(path) != 1:
            return None
        path = path[0]
    try:
        node, name = _found(path, _options())
        if node.kind == "collection" and not holds_hierarchies(node):
            return None
    except (HierarchyNotFoundError, NodeNotFoundError):
        return None
    except ZarrError as error:
        return _failing(error)  # napari shows its sentence
    return lambda *_: [with_contrast(layer) for layer in layers_of(node, name)]


def read_layers(
    source: str | os.PathLike[str] | ReadableStore | Hierarchy, **options: Any
) -> list[LayerData]:
    """The layers of anything that zarrscope opens, also of paths that napari does not offer to its readers.

    Args:
        source: a path or URL, which may go on with ``#`` and the path of a node; a store, or an open hierarchy.
        options: as `zarrcore.open`.

    Returns:
        Tuples of data, keywords and kind, for ``napari.layers.Layer.create``. The hierarchy stays open.

    Raises:
        HierarchyNotFoundError: there is no hierarchy.
        NodeNotFoundError: there is no such node.
        MetadataError: nothing in it can be shown.
        UnsupportedError: the elements of an array are not numbers.
        StoreError: the store failed.
    """
    node, name = _found(source, {**_options(), **options})
    return [with_contrast(layer) for layer in layers_of(node, name)]


def _found(source: Any, options: dict[str, Any]) -> tuple[Any, str]:
    """The node that a source names, and a name for it."""
    inside = "/"
    if isinstance(source, Hierarchy):
        hierarchy = source
    else:
        if isinstance(source, str):
            url, mark, path = source.rpartition("#/")
            source, inside = (url, normalize_path(path)) if mark else (source, "/")
        hierarchy = open_hierarchy(source, chunk_cache=_chunk_cache(), **options)
    node = hierarchy[inside] if inside != "/" else hierarchy.root
    at = node.hierarchy.at
    return node, node.name if node.path != at else _stem(hierarchy.url if at == "/" else at)


@cache
def _chunk_cache() -> ChunkCache:
    """Decoded chunks of all layers: neighbouring planes are often in the same chunks."""
    return ChunkCache(_CACHE_NBYTES)


def _options() -> dict[str, Any]:
    """The options in the environment.

    Raises:
        UnsupportedError: they are not a JSON object.
    """
    text = os.environ.get(OPTIONS, "")
    try:
        found = json.loads(text or "{}")
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise UnsupportedError(
            "option", OPTIONS, f'must be a JSON object such as {{"anonymous": true}}, found {text!r}'
        )
    return found


def _stem(url: str) -> str:
    """The last part of a URL without its suffixes.

    >>> _stem("s3://bucket/cells.ome.zarr/"), _stem("/data/scan.nii.gz")
    ('cells', 'scan')
    """
    last = url.rstrip("/").rpartition("/")[2]
    return last.partition(".")[0] or last or url


def _failing(error: ZarrError) -> Read:
    def read(*_: Any) -> list[LayerData]:
        raise error

    return read
