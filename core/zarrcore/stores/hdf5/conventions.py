"""What NetCDF-4, dimension scales and xarray make of attributes: dimension names, and attributes that are bookkeeping.

A list of one is a scalar, as in NetCDF, unless something says that the writer distinguishes them.

NetCDF-4's "File Format" appendix; the HDF5 Dimension Scale specification; xarray's encoding of ``_FillValue`` in Zarr v3.
"""

from __future__ import annotations

import base64
import json
from collections import ChainMap
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from zarrcore.stores.hdf5.attributes import Attribute, room_for_attributes
from zarrcore.stores.hdf5.datatype import Datatype, Kind
from zarrcore.stores.hdf5.elements import UnshownError, array_json
from zarrcore.stores.virtual.file_reader import UNDEFINED, BrokenFileError, unsigned
from zarrcore.stores.virtual.missing_float import missing_float
from zarrcore.stores.virtual.unreadable_node import unreadable_value

if TYPE_CHECKING:
    from zarrcore.stores.hdf5.file import Found, Hdf5File, Node

_BOOKKEEPING: Final = {
    "DIMENSION_LIST",
    "REFERENCE_LIST",
    "DIMENSION_LABELS",
    "_Netcdf4Dimid",
    "_Netcdf4Coordinates",
    "_NCProperties",
    "_nc3_strict",
}
_TELLS_LISTS: Final = frozenset({"encoding-type", "neurodata_type"})
"""Attributes of AnnData and HDMF, which store one text as such: a list of one text stays one, such as ``column-order``."""
_NAMES_JSON: Final = "_zarrscope_json"
"""An attribute of files that zarrscope wrote: the names of attributes that are lists of one or JSON text, as JSON."""


def shown_attributes(file: Hdf5File, node: Node) -> dict[str, Any]:
    """The attributes of an object without bookkeeping, as JSON in the conventions of xarray."""
    marked = _marked(node)
    hidden = (
        _BOOKKEEPING | ({"CLASS", "NAME"} if node.is_scale else set()) | ({_NAMES_JSON} if marked else set())
    )
    shown, room = {}, room_for_attributes()
    tells_lists = not _TELLS_LISTS.isdisjoint(node.attributes)
    for name, attribute in node.attributes.items():
        if name in hidden:
            continue
        try:
            value = attribute.json(file.heaps, room)
            if attribute.shape == (1,) and (name in marked or (tells_lists and isinstance(value, str))):
                value = [value]
            elif name in marked and isinstance(value, str):
                with suppress(ValueError, RecursionError):  # another program replaced it by plain text
                    value = json.loads(value)
            shown[name] = value
        except (BrokenFileError, UnshownError) as error:
            if node.is_dataset:  # it may say what the elements mean
                raise
            shown[name] = unreadable_value(str(error))
    shown.update({name: unreadable_value(why) for name, why in node.attribute_faults.items()})
    fill = node.attributes.get("_FillValue")
    if fill is not None and node.is_dataset:
        shown["_FillValue"] = _fill_value(fill, shown["_FillValue"])
    return shown


def _marked(node: Node) -> frozenset[str]:
    """The names of attributes whose JSON is not what HDF5's readers see: empty unless zarrscope wrote the file."""
    try:
        names = json.loads(node.text(_NAMES_JSON) or "[]")
    except (ValueError, RecursionError):  # also if the attribute is broken: it is shown as such
        return frozenset()
    return frozenset(name for name in (names if isinstance(names, list) else ()) if isinstance(name, str))


def _fill_value(attribute: Attribute, value: Any) -> Any:
    """As xarray writes it: floating-point numbers and bytes in base64, since JSON has no NaN."""
    if isinstance(value, list):
        return value
    if attribute.type.kind is Kind.FLOAT:
        return missing_float(value)
    if attribute.type.kind is Kind.TEXT:
        return base64.standard_b64encode(attribute.data[: attribute.type.nbytes]).decode()
    return value


def dimension_names(file: Hdf5File, found: Found, name: str) -> list[str | None] | None:
    """The names of the dimensions of a dataset; None if none has one."""
    node = found.node
    if node is None:
        return None
    ndim = len(node.dataset.shape)
    if not ndim:
        return []  # which xarray demands
    if node.is_scale and ndim == 1 and "_Netcdf4Coordinates" not in node.attributes:
        return [name]
    known = ChainMap(*(group.names for group in _groups_above(file, found)))
    names = [None if a is None else known.get(a) or _own_name(file, a) for a in _scales(file, found, ndim)]
    labels = node.attributes.get("DIMENSION_LABELS")
    if labels is not None:
        told = labels.json(file.heaps)
        told = told if isinstance(told, list) else [told]
        for place, label in enumerate(told[:ndim]):
            if names[place] is None and isinstance(label, str) and label:
                names[place] = label
    return names if any(name is not None for name in names) else None


def _groups_above(file: Hdf5File, found: Found) -> Iterator[Node]:
    """The groups above in the same file, the nearest first: addresses of another file mean something else."""
    return (group for group in reversed(found.ancestors) if group.file is file)


def netcdf_shape(file: Hdf5File, found: Found) -> tuple[int, ...]:
    """The shape of a dataset, as long as its unlimited dimensions of NetCDF-4 are: other variables may be longer.

    NetCDF has the fill value for the elements that are not stored.
    """
    node = found.node
    assert node is not None  # noqa: S101 - the caller checked it
    shape = node.dataset.shape
    if not node.dataset.is_unlimited:
        return shape
    scales = _scales(file, found, len(shape))
    if node.is_scale and len(shape) == 1:
        scales = [node.address]
    return tuple(
        length
        if address is None or maximum != UNDEFINED
        else max(length, file.node(address).unlimited_length)
        for length, maximum, address in zip(shape, node.dataset.max_shape, scales, strict=True)
    )


def _scales(file: Hdf5File, found: Found, ndim: int) -> list[int | None]:
    """The address of the scale of each dimension of a dataset; None for one without a scale."""
    attributes = {} if found.node is None else found.node.attributes
    by_number, scales = attributes.get("_Netcdf4Coordinates"), attributes.get("DIMENSION_LIST")
    addresses: list[int | None] = []
    if by_number is not None:
        numbers = array_json(
            by_number.type, by_number.shape or (), by_number.data, file.heaps, room_for_attributes()
        )
        known = ChainMap(*(group.dimensions for group in _groups_above(file, found)))
        addresses = [known.get(number) for number in (numbers if isinstance(numbers, list) else [numbers])]
    elif scales is not None and scales.shape == (ndim,):
        addresses = [*_first_references(file, scales, ndim)]
    return addresses if len(addresses) == ndim else [None] * ndim


def _first_references(file: Hdf5File, attribute: Attribute, ndim: int) -> Iterator[int | None]:
    kind: Datatype = attribute.type
    if kind.kind is not Kind.VARIABLE or kind.base is None or kind.base.kind is not Kind.REFERENCE:
        return
    for place in range(ndim):
        count, address, index = (
            unsigned(attribute.data, 16 * place + at, size) for at, size in ((0, 4), (4, 8), (12, 4))
        )
        yield unsigned(file.heaps.object(address, index), 0, 8) if count else None


def _own_name(file: Hdf5File, address: int) -> str | None:
    """The name that a scale gives itself, for scales outside of the groups above."""
    try:
        name = file.node(address).text("NAME")
    except BrokenFileError:
        return None
    return (
        name.rpartition("/")[2] or None
        if name and not name.startswith("This is a netCDF dimension")
        else None
    )
