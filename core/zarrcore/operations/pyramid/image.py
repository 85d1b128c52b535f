"""The OME-NGFF metadata of an image, versions 0.4 and 0.5: read, made, and written back.

Members that are not known here stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from zarrcore.errors import MetadataError, SelectionError
from zarrcore.hierarchy import ArrayNode

_KINDS = {
    "t": "time", "time": "time", "c": "channel", "channel": "channel", "channels": "channel",
    "z": "space", "y": "space", "x": "space",
}  # fmt: skip
_ORDER = ("time", "channel", "space")
_DEFAULT_NAMES = ("z", "y", "x")


@dataclass(frozen=True, slots=True)
class Dataset:
    """One level in the metadata."""

    path: str
    """Its path in the group."""
    scale: tuple[float, ...]
    """The distance of its elements, per axis."""
    translation: tuple[float, ...]
    """The position of the centre of element 0, per axis."""
    stored: Mapping[str, Any] | None = None
    """Its members as stored, if it was there before."""

    def reduced(self, path: str, factors: Sequence[int], *, centred: bool) -> Dataset:
        """The level that is made from this one; ``centred`` says whether its elements are in the middle of their blocks.

        >>> Dataset("0", (0.5, 2.0), (0.0, 0.0)).reduced("1", (2, 1), centred=True)
        Dataset(path='1', scale=(1.0, 2.0), translation=(0.25, 0.0), stored=None)
        """
        scale = tuple(step * factor for step, factor in zip(self.scale, factors, strict=True))
        shifts = ((f - 1) / 2 * step if centred else 0.0 for step, f in zip(self.scale, factors, strict=True))
        translation = tuple(there + shift for there, shift in zip(self.translation, shifts, strict=True))
        return Dataset(path, scale, translation)

    def document(self) -> dict[str, Any]:
        """The member of ``datasets``."""
        if self.stored is not None:
            return dict(self.stored)
        transformations: list[dict[str, Any]] = [{"type": "scale", "scale": list(self.scale)}]
        if any(self.translation):
            transformations.append({"type": "translation", "translation": list(self.translation)})
        return {"path": self.path, "coordinateTransformations": transformations}


@dataclass(frozen=True, slots=True)
class Image:
    """An image as its group describes it."""

    version: str
    """The version of OME-NGFF."""
    axes: tuple[Mapping[str, Any], ...]
    """The axes as stored: ``name``, ``type``, ``unit``."""
    datasets: tuple[Dataset, ...]
    """The levels, the finest first."""
    is_labels: bool = False
    """Whether elements are labels, not amounts."""
    method: str = ""
    """How levels were reduced; empty if unknown."""
    stored: Mapping[str, Any] = field(default_factory=dict)
    """The member of ``multiscales`` as stored."""

    def attributes(self, before: Mapping[str, Any], name: str) -> dict[str, Any]:
        """The attributes of the group with this image; ``name`` is that of an image without one."""
        entry = {"name": name, **self.stored}
        if self.version == "0.4":
            entry = {"version": "0.4", **entry}
        if self.method and "type" not in entry:
            entry["type"] = self.method
        entry |= {"axes": [dict(axis) for axis in self.axes]}
        entry |= {"datasets": [dataset.document() for dataset in self.datasets]}
        if self.version == "0.4":
            return {**before, "multiscales": [entry, *before.get("multiscales", [])[1:]]}
        ome = before.get("ome", {})
        others = ome.get("multiscales", [])[1:]
        return {**before, "ome": {"version": self.version, **ome, "multiscales": [entry, *others]}}


def stored_image(attributes: Mapping[str, Any], path: str) -> Image | None:
    """The image that the attributes of a group describe; None if they describe none.

    Raises:
        MetadataError: they are broken, or of another version than 0.4 and 0.5.
    """
    ome = attributes.get("ome")
    place = ome if isinstance(ome, Mapping) else attributes
    entries = place.get("multiscales")
    if not isinstance(entries, list) or not entries:
        return None
    entry = entries[0]
    version = (
        place.get("version") if place is ome else entry.get("version") if isinstance(entry, dict) else None
    )
    if version not in ("0.4", "0.5"):
        raise MetadataError(f"{path}: only metadata of OME-Zarr 0.4 and 0.5 can get levels, found {version}")
    try:
        axes = tuple({"name": axis["name"], **axis} for axis in entry["axes"])
        datasets = tuple(_dataset(stored, len(axes)) for stored in entry["datasets"])
    except (KeyError, TypeError, ValueError) as error:
        raise MetadataError(f"{path}: its metadata of OME-Zarr are broken: {error!r}") from error
    if not datasets or not any(axis.get("type") == "space" for axis in axes):
        raise MetadataError(f"{path}: its metadata of OME-Zarr have no levels, or no spatial axes")
    return Image(str(version), axes, datasets, "image-label" in place, stored=dict(entry))


def _dataset(stored: Mapping[str, Any], ndim: int) -> Dataset:
    scale, translation = (1.0,) * ndim, (0.0,) * ndim
    for step in stored["coordinateTransformations"]:
        if step["type"] == "scale":
            scale = tuple(map(float, step["scale"]))
        elif step["type"] == "translation":
            translation = tuple(map(float, step["translation"]))
    if not len(scale) == len(translation) == ndim:
        raise ValueError("a scale or translation with another number of axes")
    return Dataset(str(stored["path"]), scale, translation, dict(stored))


def new_image(
    array: ArrayNode,
    format_name: str,
    names: Sequence[str] | None,
    scale: Sequence[float] | None,
    unit: str | None,
) -> Image:
    """The image of an array that has no metadata of OME-Zarr.

    Raises:
        SelectionError: the axes are not known, or not those of an image.
    """
    axes = _axes(array, names, unit)
    if scale is not None and len(scale) != array.ndim:
        raise SelectionError(f"expected a scale of {array.ndim} numbers, found {len(scale)}")
    steps = tuple(map(float, scale or (1.0,) * array.ndim))
    dataset = Dataset(array.name, steps, (0.0,) * array.ndim)
    return Image("0.5" if format_name == "v3" else "0.4", axes, (dataset,))


def _axes(array: ArrayNode, names: Sequence[str] | None, unit: str | None) -> tuple[dict[str, Any], ...]:
    names = _names(array, names)
    if len(names) != array.ndim:
        raise SelectionError(f"expected {array.ndim} names of axes, found {len(names)}")
    kinds = [_KINDS.get(name.lower()) for name in names]
    if not _are_of_image(kinds):
        raise SelectionError(
            f"the axes {', '.join(names)} are not those of an image: at most one of time (t), then one of channels (c),"
            " then two or three of space (z, y, x); --axes names those of an array without names"
        )
    axes = [{"name": name, "type": kind} for name, kind in zip(names, kinds, strict=True)]
    return tuple({**axis, "unit": unit} if unit and axis["type"] == "space" else axis for axis in axes)


def _names(array: ArrayNode, names: Sequence[str] | None) -> Sequence[str]:
    stored = array.dimension_names
    if stored is not None and None not in stored:
        if names is not None and tuple(names) != stored:
            raise SelectionError(
                f"{array.path} has the dimension names {', '.join(map(str, stored))} already: omit --axes"
            )
        return [str(name) for name in stored]
    if names is not None:
        return names
    if array.ndim > len(_DEFAULT_NAMES):
        raise SelectionError(f"{array.path} has no dimension names: give --axes, such as t,c,z,y,x")
    return _DEFAULT_NAMES[-array.ndim :]


def _are_of_image(kinds: Sequence[str | None]) -> bool:
    known = [kind for kind in kinds if kind is not None]
    others = [kind for kind in known if kind != "space"]
    in_order = known == sorted(known, key=_ORDER.index) and len(others) == len({*others})
    return len(known) == len(kinds) and in_order and 2 <= known.count("space") <= 3
