"""OME-TIFF sets of several files, one for each time point, and what they hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
import tifffile

from zarrcore.typing import AnyArray

Elements = AnyArray
Metadata = Literal["in each", "in the first", "in a companion"]

TIMES, CHANNELS, DEPTH = 3, 2, 2
_NAMESPACE = "http://www.openmicroscopy.org/Schemas/OME/2016-06"


def name_of(time: int) -> str:
    """The name of the file of a time point."""
    return f"set_t{time}.ome.tif"


def write_set(folder: Path, metadata: Metadata, *, is_pyramid: bool = False, **options: Any) -> Elements:
    """Write a set, and return its elements: t, c, z, y, x."""
    data = np.random.default_rng(0).integers(0, 60000, (TIMES, CHANNELS, DEPTH, 32, 40)).astype("u2")
    places = "".join(
        f'<TiffData FirstT="{time}" IFD="0" PlaneCount="{CHANNELS * DEPTH}">'
        f'<UUID FileName="{name_of(time)}">urn:uuid:{time}</UUID></TiffData>'
        for time in range(TIMES)
    )
    channels = "".join(f'<Channel ID="Channel:0:{c}" Name="dye {c}"/>' for c in range(CHANNELS))
    image = (
        '<Image ID="Image:0" Name="cells"><Pixels ID="Pixels:0" DimensionOrder="XYZCT" Type="uint16" SizeX="40" SizeY="32" '
        f'SizeZ="{DEPTH}" SizeC="{CHANNELS}" SizeT="{TIMES}" PhysicalSizeX="0.5" PhysicalSizeY="0.5">'
        f"{channels}{places}</Pixels></Image>"
    )
    main = name_of(0) if metadata == "in the first" else "set.companion.ome"
    elsewhere = f'<BinaryOnly MetadataFile="{main}" UUID="urn:uuid:0"/>'
    for time in range(TIMES):
        has_metadata = metadata == "in each" or (metadata == "in the first" and time == 0)
        xml = _ome(f"urn:uuid:{time}", image if has_metadata else elsewhere)
        _write(folder / name_of(time), data[time].reshape(-1, 32, 40), xml, is_pyramid=is_pyramid, **options)
    if metadata == "in a companion":
        (folder / main).write_text(_ome("urn:uuid:companion", image), "utf-8")
    return data


def _ome(uuid: str, content: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?><OME xmlns="{_NAMESPACE}" UUID="{uuid}">{content}</OME>'


def _write(path: Path, planes: Elements, xml: str, *, is_pyramid: bool, **options: Any) -> None:
    with tifffile.TiffWriter(path) as writer:
        for number, plane in enumerate(planes):
            writer.write(
                plane,
                description=None if number else xml,
                metadata=None,
                contiguous=False,
                subifds=1 if is_pyramid else None,
                **options,
            )
            if is_pyramid:
                writer.write(plane[::2, ::2], subfiletype=1, metadata=None, **options)
