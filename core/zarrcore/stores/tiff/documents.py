"""The documents of a file in terms of Zarr v3 and OME-Zarr 0.5: a multiscale group for each image.

A file with one image is one such group. Otherwise groups numbered from 0 are in a group, as bioformats2raw writes them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from zarrcore.errors import BrokenReferenceError
from zarrcore.stores.tiff.attributes import array_attributes, file_attributes, page_attributes
from zarrcore.stores.tiff.file import check_ome
from zarrcore.stores.tiff.level import Level, UnshownError
from zarrcore.stores.tiff.masks import NAME, flags, is_mask, with_masks
from zarrcore.stores.tiff.ome_set import Planes, SetSeries, binary_only, planes_of
from zarrcore.stores.tiff.plain_pages import plain_series
from zarrcore.stores.tiff.scales import Scales, scales_of
from zarrcore.stores.tiff.set_files import SetFiles
from zarrcore.stores.virtual.file_reader import BrokenFileError
from zarrcore.stores.virtual.unreadable_node import unreadable_document

_OME_VERSION: Final = "0.5"
_TYPES: Final = {"t": "time", "c": "channel", "z": "space", "y": "space", "x": "space"}
_REDUCED: Final = 1


@dataclass(slots=True)
class Image:
    """An image: one series with its resolutions."""

    prefix: str
    """Of its keys: empty, or its number and a slash."""
    series: Any
    """The ``tifffile.TiffPageSeries`` of the first resolution, or that of a set; None if it cannot be shown."""
    scales: Scales
    levels: dict[str, Level | str] = field(default_factory=dict)
    """The resolutions by the prefixes of their keys; why, for one that cannot be shown."""
    mask: Image | None = None
    """Where it has elements: 0 means that one is missing."""

    def __iter__(self) -> Iterator[Image]:
        """The image and its mask."""
        yield self
        if self.mask is not None:
            yield self.mask


def images_of(file: Any, files: SetFiles) -> list[Image]:
    """The images of a ``tifffile.TiffFile``.

    Args:
        file: the file that was opened.
        files: the other files of its set, if it belongs to one.

    Raises:
        BrokenFileError: there is none.
        StoreError: a store failed.
        Exception: anything that tifffile raises.
    """
    told = _set_of(file, files)
    if told is not None:
        return _images_of_set(file, files, *told)
    plain = plain_series(file)
    groups = with_masks(_groups([*file.series] if plain is None else plain))
    if not groups:
        raise BrokenFileError("it has no images")
    if any(each.kind == "ome" and each.dataoffset is None and None in [*each] for [each, *_], _ in groups):
        xml = str(file.ome_metadata)
        return _images_of_set(file, files, xml, planes_of(xml, None, files.own_name))
    images = []
    for number, (levels, of_mask) in enumerate(groups):
        prefix = f"{number}/" if len(groups) > 1 else ""
        image = Image(prefix, levels[0], scales_of(file, levels[0], number))
        _add_levels(image, levels)
        if of_mask:
            scales = Scales(image.scales.steps, image.scales.units)
            image.mask = Image(f"{prefix}{NAME}/", of_mask[0], scales)
            _add_levels(image.mask, of_mask)
        images.append(image)
    return images


def _set_of(file: Any, files: SetFiles) -> tuple[str, list[Planes]] | None:
    """OME-XML and what it states about planes, if some of them are in other files."""
    if not file.is_ome:
        return None
    xml, own_uuid = str(file.ome_metadata), None
    elsewhere = binary_only(xml)
    if elsewhere is not None:
        name, own_uuid = elsewhere
        found = files.xml(name)
        if found is None:
            return None  # the pages are shown as they are
        xml = found
        check_ome(xml)
    elif "FileName" not in xml:
        return None
    planes = planes_of(xml, own_uuid, files.own_name)
    is_set = elsewhere is not None or any(run.file for image in planes for run in image.runs)
    return (xml, planes) if is_set and planes else None


def _images_of_set(file: Any, files: SetFiles, xml: str, planes: Sequence[Planes]) -> list[Image]:
    images = []
    for number, each in enumerate(planes):
        prefix = f"{number}/" if len(planes) > 1 else ""
        try:
            series = SetSeries(file, files, each)
            image = Image(prefix, series, scales_of(file, series, number, xml))
            _add_levels(image, series.levels)
        except (BrokenReferenceError, BrokenFileError) as error:
            image = Image(prefix, None, Scales(), {f"{prefix}0/": f"the image is broken: {error}"})
        images.append(image)
    return images


def _add_levels(image: Image, levels: Sequence[Any]) -> None:
    for place, series in enumerate(levels):
        try:
            shown: Level | str = Level(series)
        except UnshownError as error:
            shown = str(error)
        except BrokenFileError as error:
            shown = f"the image is broken: {error}"
        image.levels[f"{image.prefix}{place}/"] = shown


def _groups(series: Sequence[Any]) -> list[list[Any]]:
    """The resolutions of each image. Pages that say that they are reduced belong to the image, or mask, before them."""
    groups: list[list[Any]] = []
    for each in series:
        is_reduced = int(each.keyframe.subfiletype) & _REDUCED and len(each.levels) == 1
        before = next((group for group in reversed(groups) if is_mask(group[0]) == is_mask(each)), None)
        if is_reduced and before is not None and _is_smaller(each, before[-1]):
            before.append(each)
        else:
            groups.append([*each.levels])
    return groups


def _is_smaller(reduced: Any, whole: Any) -> bool:
    if reduced.axes != whole.axes or reduced.dtype != whole.dtype:
        return False
    same = all(
        a == b for axis, a, b in zip(whole.axes, whole.shape, reduced.shape, strict=True) if axis not in "YX"
    )
    # Lengths are rounded, by some writers to more than one element; other pages, such as pictures of labels, have another form.
    factors = [
        (long / (short + room), long / max(short - room, 0.5))
        for axis, long, short in zip(whole.axes, whole.shape, reduced.shape, strict=True)
        if axis in "YX" and 0 < short < long
        for room in (max(1, short / 50),)
    ]
    return (
        same
        and len(factors) == sum(axis in "YX" for axis in whole.axes) > 0
        and max(least for least, _ in factors) <= min(most for _, most in factors)
    )


def documents_of(file: Any, images: Sequence[Image]) -> dict[str, dict[str, Any]]:
    """The ``zarr.json`` of each node by the prefix of its keys."""
    documents: dict[str, dict[str, Any]] = {}
    of_file = file_attributes(file)
    if len(images) > 1:
        ome = {"version": _OME_VERSION, "bioformats2raw.layout": 3}
        documents[""] = _group({"ome": ome, **of_file})
    for image in images:
        attributes = {"ome": _ome(image), **(page_attributes(image.series) if image.series else {})}
        if len(images) == 1:
            attributes |= of_file
        if image.mask is not None:
            attributes["tiff"]["mask"] = NAME
            of_mask = {"ome": _ome(image.mask), **page_attributes(image.mask.series)}
            documents[image.mask.prefix] = _group(of_mask)
        documents[image.prefix] = _group(attributes)
        for each in image:
            for path, level in each.levels.items():
                documents[path] = (
                    unreadable_document(level) if isinstance(level, str) else _array_document(level)
                )
    return documents


def _group(attributes: dict[str, Any]) -> dict[str, Any]:
    return {"zarr_format": 3, "node_type": "group", "attributes": attributes}


def _ome(image: Image) -> dict[str, Any]:
    shown = {path: level for path, level in image.levels.items() if isinstance(level, Level)}
    ome: dict[str, Any] = {"version": _OME_VERSION}
    if not shown:
        return ome
    first = next(iter(shown.values()))
    words = {"type": _TYPES, "unit": image.scales.units}
    axes = [
        {"name": name, **{word: known[name] for word, known in words.items() if name in known}}
        for name in first.names
    ]
    datasets = []
    for path, level in shown.items():
        if level.names != first.names:
            continue
        scale = [
            image.scales.steps.get(name, 1.0) * (whole / length if name in ("z", "y", "x") else 1)
            for name, length, whole in zip(level.names, level.shape, first.shape, strict=True)
        ]
        transformations = [{"type": "scale", "scale": scale}]
        datasets.append({"path": path[len(image.prefix) : -1], "coordinateTransformations": transformations})
    multiscale: dict[str, Any] = {"axes": axes, "datasets": datasets}
    if image.series.name:
        multiscale["name"] = str(image.series.name)
    ome["multiscales"] = [multiscale]
    if "c" in first.names:
        count = first.shape[first.names.index("c")]
        is_rgb = count in (3, 4) and _is_rgb(image.series.keyframe)
        channels = image.scales.channels or (_rgb(first) if is_rgb else [])
        if len(channels) == count:
            ome["omero"] = {"channels": channels}
    return ome


def _is_rgb(page: Any) -> bool:
    return int(page.photometric) in (2, 6) and int(page.samplesperpixel) in (3, 4)


def _rgb(level: Level) -> list[dict[str, Any]]:
    """Red, green and blue; a fourth sample is the opacity, which is not shown."""
    colours = [("red", "FF0000"), ("green", "00FF00"), ("blue", "0000FF"), ("alpha", "FFFFFF")]
    channels: list[dict[str, Any]] = []
    for label, colour in colours[: level.shape[level.names.index("c")]]:
        channel: dict[str, Any] = {"label": label, "color": colour, "active": label != "alpha"}
        if level.dtype.kind == "u" and level.dtype.itemsize <= 2:
            most = 2 ** (8 * level.dtype.itemsize) - 1
            channel["window"] = {"min": 0, "max": most, "start": 0, "end": most}
        channels.append(channel)
    return channels


def _array_document(level: Level) -> dict[str, Any]:
    attributes = {} if level.nodata is None else array_attributes(level.dtype, level.nodata)
    if level.is_mask:
        attributes |= flags(level.dtype)
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [*level.shape],
        "data_type": str(level.dtype),
        "chunk_grid": _chunk_grid(level),
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": _fill_value(level),
        "codecs": level.codecs(),
        "dimension_names": level.names,
        "attributes": attributes,
    }


def _fill_value(level: Level) -> Any:
    """The value of missing segments."""
    kind = level.dtype.kind
    if kind == "b":
        return bool(level.nodata)
    if kind in "iu":
        return level.nodata or 0
    number = _json_float(level.nodata or 0.0)
    return [number, 0.0] if kind == "c" else number


def _json_float(number: float) -> Any:
    if math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def _chunk_grid(level: Level) -> dict[str, Any]:
    """Strips end where the page ends; then the grid is rectilinear."""
    runs: list[Any] = []
    is_cut = False
    for length, chunk in zip(level.shape, level.chunk_shape, strict=True):
        count, rest = divmod(length, chunk)
        if rest and level.is_cut:
            runs.append([[chunk, count], rest] if count else rest)
            is_cut = is_cut or bool(count)
        else:
            runs.append(chunk)
    if is_cut:
        return {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": runs}}
    return {"name": "regular", "configuration": {"chunk_shape": [*level.chunk_shape]}}
