"""OME-XML: the description of an OME-TIFF.

Specification: Open Microscopy Environment, "OME-TIFF specification"; schema "OME 2016-06", which determines the order of
elements. The text is ASCII, like all descriptions of TIFF; other characters are references.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from xml.etree import ElementTree as ET

import numpy as np

from zarrcore.conventions import Channel
from zarrcore.conventions.units import LENGTHS, TIMES
from zarrcore.errors import UnsupportedError

_NAMESPACE: Final = "http://www.openmicroscopy.org/Schemas/OME/2016-06"
_SCHEMA_INSTANCE: Final = "http://www.w3.org/2001/XMLSchema-instance"
_TYPES: Final = {
    "bool": "uint8",
    **{f"{kind}{bits}": f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32)},
    "float32": "float",
    "float64": "double",
    "complex64": "complex",
    "complex128": "double-complex",
}
"""OME's names of NumPy's types. Booleans are whole bytes, not bits."""
_MAX_LENGTH: Final = (1 << 31) - 1
_MIN_STEP, _MAX_STEP = 1e-30, 1e30
"""The largest number of the schema, which has single precision."""
MAX_CHANNELS_TOLD: Final = 10_000
_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class ImageMetadata:
    """The metadata of an image."""

    name: str = ""
    description: str = ""
    spacing: Mapping[str, tuple[float, str]] = field(default_factory=dict)
    """The distance between elements along X, Y, Z and T, and the name of its unit."""
    channels: Sequence[Channel] = ()
    """The channels in order, beginning with the first; there may be too few or too many."""


def ome_type(dtype: np.dtype[Any]) -> str:
    """OME's name of a type.

    Raises:
        UnsupportedError: OME has no such type.
    """
    try:
        return _TYPES[dtype.name]
    except KeyError as error:
        raise UnsupportedError("data type", dtype.name, "has no counterpart in OME-TIFF") from error


def ome_xml(facts: ImageMetadata, shape: Mapping[str, int], pixel_type: str) -> bytes:
    """The description of a file's only image.

    Args:
        facts: the metadata of the image.
        shape: the length of each dimension by its letter, slowest first.
        pixel_type: the result of `ome_type`.

    Raises:
        UnsupportedError: a dimension is too long, or there are too many planes.
    """
    planes = [letter for letter in shape if letter in "ZCT"]
    order = "XY" + "".join(letter for letter in "ZCT" if letter not in planes) + "".join(reversed(planes))
    samples, channels = shape.get("S", 1), shape.get("C", 1)
    sizes = {letter: shape.get(letter, 1) for letter in "XYZCT"}
    sizes["C"] *= samples
    count = sizes["Z"] * channels * sizes["T"]
    if max(*sizes.values(), count) > _MAX_LENGTH:
        raise UnsupportedError("shape", str(tuple(shape.values())), "is too long for OME-TIFF: select a part")
    root = ET.Element("OME", {"xmlns": _NAMESPACE, "xmlns:xsi": _SCHEMA_INSTANCE, "Creator": "zarrscope"})
    root.set("xsi:schemaLocation", f"{_NAMESPACE} {_NAMESPACE}/ome.xsd")
    image = ET.SubElement(root, "Image", {"ID": "Image:0"})
    if facts.name:
        image.set("Name", xml_text(facts.name))
    if facts.description:
        ET.SubElement(image, "Description").text = xml_text(facts.description)
    pixels = ET.SubElement(image, "Pixels", {"ID": "Pixels:0", "DimensionOrder": order, "Type": pixel_type})
    pixels.attrib.update({f"Size{letter}": str(size) for letter, size in sizes.items()})
    pixels.attrib.update({"BigEndian": "false", "Interleaved": "true" if samples > 1 else "false"})
    for letter, (step, unit) in facts.spacing.items():
        _put_spacing(pixels, letter, step, unit)
    for number in range(channels if channels <= MAX_CHANNELS_TOLD else 0):
        told = facts.channels[number] if number < len(facts.channels) else None
        _put_channel(pixels, number, samples, told)
    ET.SubElement(pixels, "TiffData", {"IFD": "0", "PlaneCount": str(count)})
    text: bytes = ET.tostring(root, "us-ascii", xml_declaration=True)
    return text


def _put_spacing(pixels: ET.Element, letter: str, step: float, unit: str) -> None:
    """A physical size or a time increment, if OME has its unit; without a unit, it would mean micrometres."""
    units = {"T": TIMES, **dict.fromkeys("XYZ", LENGTHS)}.get(letter, {})
    sign = units.get(unit, unit if unit in units.values() else None)
    if sign is None or not _MIN_STEP <= step <= _MAX_STEP:
        return
    name = "TimeIncrement" if letter == "T" else f"PhysicalSize{letter}"
    pixels.set(name, repr(step))
    pixels.set(f"{name}Unit", sign)


def _put_channel(pixels: ET.Element, number: int, samples: int, told: Channel | None) -> None:
    channel = ET.SubElement(pixels, "Channel", {"ID": f"Channel:0:{number}"})
    if told is not None and told.name:
        channel.set("Name", xml_text(told.name))
    channel.set("SamplesPerPixel", str(samples))
    if told is not None and told.colour is not None:
        red, green, blue = told.colour
        rgba = red << 24 | green << 16 | blue << 8 | 255
        channel.set("Color", str(rgba - (1 << 32) if rgba >= 1 << 31 else rgba))


def xml_text(text: str) -> str:
    """Text without characters that XML cannot hold."""
    return _NO_XML.sub("\ufffd", text)
