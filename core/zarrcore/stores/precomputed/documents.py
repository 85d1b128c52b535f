"""The documents of a volume in terms of Zarr v3 and OME-Zarr.

Voxels are stored with x fastest, then y, z and the channel: this is the C order of the dimensions c, z, y, x, which OME-Zarr
demands. Chunks at the upper end are cut at the bounds, so the grid is rectilinear if there are such chunks.
"""

from __future__ import annotations

from typing import Any, Final

from zarrcore.stores.precomputed.info import BrokenScale, Scale, Volume
from zarrcore.stores.virtual.unreadable_node import unreadable_document

_OME_VERSION: Final = "0.5"


def group_document(volume: Volume) -> dict[str, Any]:
    """The ``zarr.json`` of a volume: a multiscale image of all scales that can be shown."""
    scales = [scale for scale in volume.scales if isinstance(scale, Scale)]
    channel = [{"name": "c", "type": "channel"}] if volume.channels > 1 else []
    space = [{"name": name, "type": "space", "unit": "nanometer"} for name in "zyx"]
    ome: dict[str, Any] = {"version": _OME_VERSION}
    if scales:
        datasets = [
            {"path": scale.name, "coordinateTransformations": _transformations(scale, scales[0], volume)}
            for scale in scales
        ]
        ome["multiscales"] = [{"axes": [*channel, *space], "datasets": datasets}]
    if volume.is_segmentation:
        ome["image-label"] = {}
    attributes = {"ome": ome, "neuroglancer": volume.told}
    return {"zarr_format": 3, "node_type": "group", "attributes": attributes}


def _transformations(scale: Scale, first: Scale, volume: Volume) -> list[dict[str, Any]]:
    """Scale and translation, of the centre of the first voxel; that of the first scale is at its offset.

    Neuroglancer's coordinates are those of corners. So voxels of coarser scales have their centres further up.
    """
    channel = volume.channels > 1
    translation = [
        offset * unit + (unit - finest) / 2
        for offset, unit, finest in zip(scale.offset, scale.resolution, first.resolution, strict=True)
    ]
    return [
        {"type": "scale", "scale": [*[1.0] * channel, *scale.resolution[::-1]]},
        {"type": "translation", "translation": [*[0.0] * channel, *translation[::-1]]},
    ]


def scale_document(volume: Volume, scale: Scale | BrokenScale, *, is_remote: bool) -> dict[str, Any]:
    """The ``zarr.json`` of a scale; of a broken node that says why, if it cannot be shown.

    Args:
        volume: the volume.
        scale: one of its scales.
        is_remote: whether chunks may be compressed on top of their encoding.
    """
    if isinstance(scale, BrokenScale):
        return unreadable_document(f"the scale cannot be read: {scale.why}")
    channel = volume.channels > 1
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [*[volume.channels] * channel, *scale.size[::-1]],
        "data_type": volume.data_type,
        "chunk_grid": _chunk_grid(scale, [volume.channels] * channel),
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0,
        "codecs": _codecs(scale, is_remote=is_remote),
        "dimension_names": ["c", "z", "y", "x"][1 - channel :],
        "attributes": {"neuroglancer": scale.told},
    }


def _chunk_grid(scale: Scale, channels: list[int]) -> dict[str, Any]:
    lengths: list[Any] = []
    runs: list[Any] = []
    for length, chunk in zip(scale.size[::-1], scale.chunk_size[::-1], strict=True):
        count, rest = divmod(length, chunk)
        if count and rest:
            lengths.append(None)
            runs.append([[chunk, count], rest])
        else:
            lengths.append(min(chunk, max(1, length)))
            runs.append(lengths[-1])
    if None in lengths:
        return {
            "name": "rectilinear",
            "configuration": {"kind": "inline", "chunk_shapes": [*channels, *runs]},
        }
    return {"name": "regular", "configuration": {"chunk_shape": [*channels, *lengths]}}


def _codecs(scale: Scale, *, is_remote: bool) -> list[dict[str, Any]]:
    configuration: dict[str, Any] = {}
    if scale.block_size is not None:
        configuration = {"block_size": list(scale.block_size)}
    codecs: list[dict[str, Any]] = [
        {"name": f"neuroglancer.{scale.encoding}", "configuration": configuration}
    ]
    if scale.sharding is not None:
        return codecs + [{"name": "gzip", "configuration": {"level": 6}}] * scale.sharding.is_data_compressed
    # Objects in buckets may be compressed, which their headers state. The elements of raw local chunks can be read alone.
    return codecs + [{"name": "neuroglancer.gzip"}] * (is_remote or scale.encoding != "raw")
