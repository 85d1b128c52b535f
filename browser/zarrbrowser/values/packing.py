"""How stored numbers become values: by an array's own attributes, as in CF, or by its NXdata group, as in NeXus.

NeXus stores factor and offset as arrays, and panes read nothing when they show a node. So the workers that find nodes read them.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from zarrbrowser.nodes.protocols import ArrayLike, NodeLike, is_array
from zarrcore.conventions import cf
from zarrcore.conventions.cf import Packing
from zarrcore.errors import ZarrError

_NXDATA: Final = "NXdata"
_read: dict[int, tuple[float, float] | ZarrError] = {}
"""Scale and offset of arrays of NXdata groups, by the array's identity, or why they could not be read."""


def read_packing(nodes: Iterable[NodeLike], group: Any, find: Callable[[str], Any]) -> None:
    """Read what `packing_of` needs to know about nodes of a group; blocks if that is an NXdata group.

    Args:
        group: the node that they are in.
        find: the node at an absolute path.
    """
    if group is None or group.kind != "group" or group.attributes.get("NX_class") != _NXDATA:
        return
    from zarrcore.conventions import scaling_of  # late: for a fast start

    for node in nodes:
        if not is_array(node) or node.dtype.kind not in "iuf":
            continue
        found: tuple[float, float] | ZarrError | None
        try:
            found = scaling_of(node, find)
        except ZarrError as error:
            found = error
        if found is None:
            _read.pop(id(node), None)
            continue
        if id(node) not in _read:
            weakref.finalize(node, _read.pop, id(node), None).atexit = False
        _read[id(node)] = found


def packing_of(array: ArrayLike) -> Packing | None:
    """The packing of an array, or None. Factor and offset of CF come first: a copy by xarray has both.

    Raises:
        ZarrError: factor or offset of NeXus could not be read.
    """
    own, further = cf.packing_of(array), _read.get(id(array))
    if isinstance(further, ZarrError):
        raise further
    if further is None or array.attributes.keys() & {"scale_factor", "add_offset"}:
        return own
    return replace(own or Packing(), scale=further[0], offset=further[1])


def says_packing(array: ArrayLike) -> str:
    """What says how numbers are unpacked, for a sentence."""
    return "its NXdata group" if id(array) in _read else "the attributes"
