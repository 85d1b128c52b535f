"""OME-NGFF images: "multiscales", "omero" and "image-label" metadata of versions 0.1 to 0.6, and COSEM's form of them.

Invalid metadata are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from zarrcore.conventions.axis import Axis
from zarrcore.conventions.image import Channel, Colour, Label, Level, MultiscaleImage
from zarrcore.conventions.interface import Find
from zarrcore.conventions.level_geometry import (
    MOST_LEVELS,
    DescribedLevel,
    Geometry,
    check_levels,
    find_levels,
    geometry,
)
from zarrcore.conventions.n5_pyramids import TITLE as N5_TITLE
from zarrcore.conventions.n5_pyramids import n5_geometry, n5_unit, numbered_levels
from zarrcore.conventions.ome.attributes import multiscales_entries, multiscales_entry, ome, titled
from zarrcore.conventions.ome.transformations import Alignment, alignment, described, listed, unusable
from zarrcore.conventions.values import is_count, items, mapping, numbers, objects, text


def read_image(group: Any, find: Find) -> MultiscaleImage:
    """The image of a group with multiscales; the first one if there are several.

    Raises:
        MetadataError: it has no levels, or its first level is broken.
        NodeNotFoundError: the first level is missing.
        StoreError: the store failed.
    """
    return _read(group, mapping(multiscales_entry(group.attributes)), find)


def image_named(group: Any, name: str, find: Find | None = None) -> MultiscaleImage:
    """One of several images of a group.

    Args:
        group: the group.
        name: one of `MultiscaleImage.images`.
        find: as for `image_of`.

    Raises:
        KeyError: the group describes no image of that name.
        MetadataError, NodeNotFoundError, StoreError: as `image_of`.
    """
    return _read(group, multiscales_entries(group.attributes)[name], find or group.hierarchy.node)


def _read(group: Any, entry: Mapping[str, Any], find: Find) -> MultiscaleImage:
    levels = _levels(entry)
    if levels:
        found = find_levels(group.path, [level.path for level in levels], find)
    else:
        levels, found = numbered_levels(group.path, find)
        check_levels(group.path, found)
    return _image(group.attributes, entry, levels, found)


def single_level(attributes: Mapping[str, Any], name: str, array: Any) -> MultiscaleImage | None:
    """One level of a group as an image of that level alone; None if the group does not describe a level of that name."""
    for entry in multiscales_entries(attributes).values():
        for level in _levels(entry):
            if level.path == name:
                return _image(attributes, entry, [level], [array])
    return None


def _image(
    attributes: Mapping[str, Any],
    entry: Mapping[str, Any],
    levels: Sequence[DescribedLevel],
    found: Sequence[Any],
) -> MultiscaleImage:
    """The image of the levels that were found; all except the first may be None."""
    placed = geometry(found, levels) or n5_geometry(found, attributes)
    is_cosem = any("transform" in dataset for dataset in objects(entry.get("datasets")))
    labels = ome(attributes).get("image-label") or attributes.get("image-label")
    unapplied, unapplied_to_levels = _unapplied(entry, found[0].ndim)
    return MultiscaleImage(
        N5_TITLE if is_cosem else titled(attributes, entry),
        text(entry.get("name")),
        _present(placed),
        _axes(entry, found[0], attributes),
        placed.spacing,
        placed.origin,
        _channels(attributes),
        is_labels="image-label" in attributes or "image-label" in ome(attributes),
        labels=_labels(mapping(labels)),
        missing=tuple(level.path for level, node in zip(levels, found, strict=True) if node is None),
        unapplied=unapplied,
        unapplied_to_levels=unapplied_to_levels,
        images=tuple(multiscales_entries(attributes)),
    )


def _present(placed: Geometry) -> tuple[Level, ...]:
    return tuple(level for level in placed.levels if level.node is not None)


def _levels(entry: Mapping[str, Any]) -> list[DescribedLevel]:
    """The described levels."""
    # Since 0.6, the transformations of a whole image lead from its own coordinate system to others.
    common = Alignment() if _systems(entry) else listed(entry.get("coordinateTransformations"))
    found = []
    for dataset in objects(entry.get("datasets")):
        if isinstance(dataset.get("path"), str):
            placed = _placed(dataset, entry).then(common).finite()
            found.append(DescribedLevel(dataset["path"], placed.scale, placed.translation))
    return found[:MOST_LEVELS]


def _placed(dataset: Mapping[str, Any], entry: Mapping[str, Any]) -> Alignment:
    """The scale and translation of one level."""
    if isinstance(dataset.get("transform"), Mapping):  # COSEM's
        told = dataset["transform"]
        return Alignment(numbers(told.get("scale")), numbers(told.get("translate")))
    steps = dataset.get("coordinateTransformations")
    if not _systems(entry):
        return listed(steps)
    first = next(iter(objects(steps)), {})
    found = (alignment(first) or Alignment()).finite()
    if found.scale is None and first.get("type") in ("identity", "translation"):
        ndim = len(items(_intrinsic(entry).get("axes")))
        return Alignment((1.0,) * ndim, found.translation)
    return found


def _systems(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The coordinate systems of an image, since version 0.6."""
    return list(objects(entry.get("coordinateSystems")))


def _intrinsic(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """The coordinate system that the transformations of all levels lead to."""
    systems = _systems(entry)
    for dataset in objects(entry.get("datasets")):
        for step in objects(dataset.get("coordinateTransformations")):
            output = step.get("output")
            name = text(output) or text(mapping(output).get("name"))
            return next(
                (system for system in systems if system.get("name") == name), systems[0] if systems else {}
            )
    return systems[0] if systems else {}


def _unapplied(entry: Mapping[str, Any], ndim: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Transformations to other coordinate systems, and those of levels that mix axes or are invalid."""
    steps = [
        step
        for dataset in objects(entry.get("datasets"))
        for step in objects(dataset.get("coordinateTransformations"))
    ]
    further = list(objects(entry.get("coordinateTransformations")))
    if not _systems(entry):  # those of the whole image are of all levels
        steps, further = [*steps, *further], []
    reasons = filter(None, (unusable(step, ndim) for step in steps))
    return tuple(dict.fromkeys(map(described, further))), tuple(dict.fromkeys(reasons))


def _axes(entry: Mapping[str, Any], base: Any, attributes: Mapping[str, Any]) -> tuple[Axis, ...]:
    told = items(_intrinsic(entry).get("axes")) or entry.get("axes")
    if isinstance(told, Sequence) and len(told) == base.ndim and not isinstance(told, str):
        return tuple(map(_axis, told))
    names = base.dimension_names or (None,) * base.ndim
    if entry:
        # The fixed axes of versions before 0.3.
        before = "tczyx" if base.ndim == 5 and base.dimension_names is None else names
        return tuple(map(Axis, before))
    unit = n5_unit(base, attributes)
    return tuple(Axis(name, "", unit) for name in names)


def _axis(told: Any) -> Axis:
    if not isinstance(told, Mapping):
        return Axis(str(told or ""))
    return Axis(*(str(told.get(member) or "") for member in ("name", "type", "unit", "longName")))


def _channels(attributes: Mapping[str, Any]) -> tuple[Channel, ...]:
    omero = mapping(attributes.get("ome")).get("omero") or attributes.get("omero")
    told = mapping(omero).get("channels")
    return tuple(_channel(mapping(one)) for one in told) if isinstance(told, Sequence) else ()


def _channel(told: Mapping[str, Any]) -> Channel:
    window = mapping(told.get("window"))
    bounds = numbers([window.get("start"), window.get("end")])
    ordered = bounds is not None and bounds[0] < bounds[1]
    return Channel(
        str(told.get("label") or ""),
        _colour(told.get("color")),
        (bounds[0], bounds[1]) if bounds is not None and ordered else None,
        told.get("active") is not False,
    )


def _colour(told: Any) -> Colour | None:
    """RGB from ``"00FF7A"``.

    >>> _colour("00FF7A"), _colour("#102030"), _colour("green")
    ((0, 255, 122), (16, 32, 48), None)
    """
    try:
        red, green, blue = bytes.fromhex(str(told).lstrip("#")[:6])
    except ValueError:
        return None
    return red, green, blue


def _labels(told: Mapping[str, Any]) -> dict[int, Label]:
    """Colours and properties of labels, by value."""
    colours = {}
    for value, one in _by_value(told.get("colors")):
        rgba = items(one.get("rgba"))
        if len(rgba) == 4 and all(is_count(part) and part < 256 for part in rgba):
            colours[value] = (rgba[0], rgba[1], rgba[2], rgba[3])
    properties = {
        value: {name: member for name, member in one.items() if name != "label-value"}
        for value, one in _by_value(told.get("properties"))
    }
    return {
        value: Label(colours.get(value), properties.get(value, {})) for value in {**colours, **properties}
    }


def _by_value(told: Any) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The objects in an array, with the labels that they are about."""
    for one in objects(told):
        value = one.get("label-value")
        if isinstance(value, int) and not isinstance(value, bool):
            yield value, one
