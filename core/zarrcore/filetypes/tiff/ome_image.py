"""A group that is one image in levels, as an OME-TIFF of them.

In OME-TIFF a reduced picture belongs to a plane: only along X and Y may a level be smaller than the one before it. Levels of
another type, of other dimensions, or with fewer planes, are left out, and the image's description names them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from zarrcore.filetypes.tiff.axes import axis_letters
from zarrcore.filetypes.tiff.ome_tiff import OmeTiffFile
from zarrcore.filetypes.tiff.ome_xml import ImageFacts
from zarrcore.filetypes.tiff.tiles import TilesFile
from zarrcore.hierarchy import AnyNode, ArrayNode, Group
from zarrcore.hierarchy.multiscales import Multiscale, multiscale

IMAGE_NAME = "image.ome.tiff"
"""What the file is called where it stands beside the levels."""
_NAMES = {"time": "t", "channel": "c"}


def group_as_ome_tiff(group: Group, find: Callable[[str], Any] | None = None) -> OmeTiffFile:
    """The image that a group is; of several the first.

    Args:
        group: of its attributes `is_multiscale` holds.
        find: the node at an absolute path of the group's hierarchy; by default that is asked.

    Raises:
        UnsupportedError: OME-TIFF has no such type, or not as many dimensions.
        MetadataError, NodeNotFoundError: there is no first level, or another is not there.
        StoreError: the store did not answer as it should.
    """
    image = multiscale(group.path, group.attributes, find or group.hierarchy.node)
    base: ArrayNode = image.levels[0].node
    letters = axis_letters(base.shape, base.dtype, [_NAMES.get(axis.kind, axis.name) for axis in image.axes])
    kept, left_out = [base], []
    for level in image.levels[1:]:
        if _is_reduced(level.node, kept[-1], letters):
            kept.append(level.node)
        else:
            left_out.append(_told(level.node))
    facts = ImageFacts(
        image.name or group.name,
        f"Levels whose planes are not these in fewer pixels: {', '.join(left_out)}" if left_out else "",
        _spacing(image, letters),
        () if "S" in letters else image.channels,
    )
    return OmeTiffFile([TilesFile(array, letters=letters) for array in kept], facts)


def _is_reduced(node: AnyNode, last: ArrayNode, letters: str) -> bool:
    """Whether a level has the planes of the one before it, in fewer pixels."""
    if not isinstance(node, ArrayNode) or node.dtype != last.dtype or node.ndim != last.ndim:
        return False
    if node.shape == last.shape:
        return False
    lengths = zip(letters, node.shape, last.shape, strict=True)
    return all(0 < new <= old if letter in "XY" else new == old for letter, new, old in lengths)


def _told(node: AnyNode) -> str:
    return f"{node.name} {node.shape}" if isinstance(node, ArrayNode) else node.name


def _spacing(image: Multiscale, letters: str) -> dict[str, tuple[float, str]]:
    return {
        letter: (abs(step), axis.unit)
        for letter, step, axis in zip(letters, image.spacing, image.axes, strict=False)
    }
