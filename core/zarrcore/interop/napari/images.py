"""Layers of images and of single arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from zarrcore.array import plane_ndim
from zarrcore.conventions import Channel, Label, MultiscaleImage
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.interop.napari.elements import conversion_of, is_shown
from zarrcore.interop.napari.layer_data import LayerData
from zarrcore.interop.napari.lazy_array import Conversion, LazyArray, Source
from zarrcore.interop.napari.placement import AxisPlacement, keywords, placement_of_array, placement_of_image
from zarrcore.metadata import RegularChunkGrid

_MOST_CHANNELS: Final = 64
"""More channels are a spectrum: one layer with a slider."""
_MOST_SHOWN: Final = 6
"""Channels that are visible at first, if the metadata do not say."""
_COLOURS: Final = {
    1: ("gray",),
    2: ("magenta", "green"),
    6: ("cyan", "magenta", "yellow", "blue", "green", "red"),
}
"""The colour maps that napari itself takes for so many channels."""
_OTHERS: Final = (0.5, 0.5, 0.5, 1.0)
"""The colour of labels without one, where others have one."""


def image_layers(image: MultiscaleImage, name: str) -> list[LayerData]:
    """One layer of an image, or one for each channel.

    Raises:
        UnsupportedError: its elements are not numbers.
        MetadataError: it has fewer than two dimensions.
    """
    levels = [level.node for level in image.levels]
    check_shown(levels[0])
    return layers_of_levels(image, coarser(levels), name, conversion_of(levels[0], is_labels=image.is_labels))


def array_layer(array: Any, find: Callable[[str], Any], name: str) -> LayerData:
    """The layer of an array.

    Args:
        array: the array.
        find: returns the node at an absolute path.
        name: of the layer.

    Raises:
        UnsupportedError, MetadataError: as `image_layers`.
        StoreError: the store failed.
    """
    check_shown(array)
    lazy = LazyArray(array, conversion_of(array), chunk_shape_of(array))
    told = {"name": name, "metadata": {"source": array.uri}}
    return _image_layer([lazy], placement_of_array(array, find), told, rgb=_is_rgb(array))


def check_shown(array: Any) -> None:
    """Check that napari can show an array.

    Raises:
        UnsupportedError: its elements are not numbers.
        MetadataError: it has fewer than two dimensions, or no elements.
    """
    if array.ndim < 2 or 0 in array.shape:
        raise MetadataError(
            f"{array.uri}: napari shows arrays of two dimensions and more, found shape {array.shape}"
        )
    if not is_shown(array):
        raise UnsupportedError(
            "data type", array.data_type.name, f"cannot be shown by napari, in {array.uri}"
        )


def chunk_shape_of(array: Any) -> tuple[int, ...] | None:
    """What is decoded at once: a chunk, or one inside a shard; None if they differ in shape."""
    is_regular = isinstance(array.metadata.chunk_grid, RegularChunkGrid)
    return array.inner_chunk_shape if is_regular else None


def layers_of_levels(
    image: MultiscaleImage, levels: Sequence[Source], name: str, conversion: Conversion | None
) -> list[LayerData]:
    """The layers of an image with these arrays as its levels."""
    lazy = [
        LazyArray(level, conversion, chunk_shape_of(level) if hasattr(level, "metadata") else None)
        for level in levels
    ]
    axes = placement_of_image(image)
    channels = image.channel_axis
    if image.is_labels:
        return [_labels_layer(image, *_channel(lazy, axes, channels, 0), name)]
    metadata = {"source": image.levels[0].node.hierarchy.url, "description": image.summary}
    if channels == len(axes) - 1 and _is_rgb(levels[0]):
        return [_image_layer(lazy, axes, {"name": name, "metadata": metadata}, rgb=True)]
    count = levels[0].shape[channels] if channels is not None else 1
    if channels is None or count > _MOST_CHANNELS or len(axes) == 2:
        channel = image.channel(0) if channels is None else None
        return [_image_layer(lazy, axes, {"name": name, "metadata": metadata}, channel)]
    layers = []
    for number in range(count):
        channel = image.channel(number)
        told = {
            "name": _channel_name(name, channel, number, count),
            "colormap": _colour_map(channel, number, count),
            "blending": "additive" if count > 1 else "translucent_no_depth",
            "visible": channel.is_on if image.channels else number < _MOST_SHOWN,
            "metadata": metadata,
        }
        layers.append(_image_layer(*_channel(lazy, axes, channels, number), told, channel))
    return layers


def _image_layer(
    lazy: Sequence[LazyArray],
    axes: Sequence[AxisPlacement],
    told: Mapping[str, Any],
    channel: Channel | None = None,
    *,
    rgb: bool = False,
) -> LayerData:
    limits = {} if channel is None or channel.bounds is None else {"contrast_limits": channel.bounds}
    placed = keywords(axes[:-1] if rgb else axes)
    return _data(lazy), {**told, "rgb": rgb, "multiscale": len(lazy) > 1, **placed, **limits}, "image"


def _labels_layer(
    image: MultiscaleImage, lazy: Sequence[LazyArray], axes: Sequence[AxisPlacement], name: str
) -> LayerData:
    """The layer of an image of labels.

    Raises:
        UnsupportedError: labels are not integers.
    """
    array = image.levels[0].node
    if lazy[0].dtype.kind not in "iu":
        raise UnsupportedError(
            "data type", array.data_type.name, f"cannot be labels, which are integers, in {array.uri}"
        )
    told: dict[str, Any] = {"name": name, "multiscale": len(lazy) > 1, **keywords(axes)}
    colours = {value: label.colour for value, label in image.labels.items() if label.colour is not None}
    if colours:
        shares = {value: tuple(part / 255 for part in colour) for value, colour in colours.items()}
        told["colormap"] = {None: _OTHERS, 0: (0.0, 0.0, 0.0, 0.0), **shares}
    if any(label.properties for label in image.labels.values()):
        told["features"] = _features(image.labels)
    told["metadata"] = {"source": array.hierarchy.url, "description": image.summary}
    return _data(lazy), told, "labels"


def _features(labels: Mapping[int, Label]) -> dict[str, list[Any]]:
    """A table of the properties of labels; the column ``index`` has their values, as napari wants it."""
    names = dict.fromkeys(name for label in labels.values() for name in label.properties if name != "index")
    columns = {name: [label.properties.get(name) for label in labels.values()] for name in names}
    return {"index": list(labels), **columns}


def _data(lazy: Sequence[LazyArray]) -> LazyArray | list[LazyArray]:
    return list(lazy) if len(lazy) > 1 else lazy[0]


def _channel(
    lazy: Sequence[LazyArray], axes: Sequence[AxisPlacement], axis: int | None, number: int
) -> tuple[list[LazyArray], list[AxisPlacement]]:
    """One channel of all levels; everything if there are no channels, or too few other dimensions."""
    if axis is None or len(axes) == 2:
        return list(lazy), list(axes)
    key = (slice(None),) * axis
    return [level[(*key, number)] for level in lazy], [*axes[:axis], *axes[axis + 1 :]]


def coarser(levels: Sequence[Any]) -> list[Any]:
    """The levels that napari can use: arrays of the type of the first, each smaller than the one before."""
    found = [levels[0]]
    for level in levels[1:]:
        if (
            level.kind == "array"
            and (level.ndim, level.dtype) == (levels[0].ndim, levels[0].dtype)
            and 0 < level.size < found[-1].size
        ):
            found.append(level)
    return found


def _is_rgb(array: Any) -> bool:
    """Whether the last dimension has the parts of colours: zarrcore's rule, as for images in a mount."""
    return array.ndim >= 3 and plane_ndim(tuple(array.shape), array.dtype) == 3


def _channel_name(name: str, channel: Channel, number: int, count: int) -> str:
    if count == 1 and not channel.name:
        return name
    return f"{name}: {channel.name or f'channel {number}'}"


def _colour_map(channel: Channel, number: int, count: int) -> str:
    if channel.colour is not None:
        return "#{:02x}{:02x}{:02x}".format(*channel.colour)
    cycle = _COLOURS.get(count, _COLOURS[6])
    return cycle[number % len(cycle)]
