"""Tags that GDAL defines: the metadata of bands, and the no-data value.

Specification: GDAL, "GTiff -- GeoTIFF File Format", "Metadata" and "Nodata value".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from xml.etree import ElementTree as ET

import numpy as np

from zarrcore.filetypes.tiff.directories import Entry, ascii_text
from zarrcore.filetypes.tiff.ome_xml import xml_text

_METADATA, _NO_DATA = 42112, 42113


@dataclass(frozen=True, slots=True)
class Quantity:
    """What the elements of an array are."""

    name: str = ""
    """A name for people."""
    standard_name: str = ""
    units: str = ""
    scale: float = 1.0
    """value = stored × scale + offset."""
    offset: float = 0.0
    no_data: np.generic | None = None
    """The element that means "missing"; None if there is none."""
    sample_type: np.dtype[Any] | None = None
    """The type as which stored elements are read, of the same size (``_Unsigned``); None for their own."""

    def items(self) -> list[tuple[str, str]]:
        """GDAL's names of what a band has, and their values."""
        told = [
            ("unittype", self.units),
            ("offset", repr(self.offset) if self.is_packed else ""),
            ("scale", repr(self.scale) if self.is_packed else ""),
        ]
        return [(name, value) for name, value in told if value]

    @property
    def is_packed(self) -> bool:
        """Whether stored numbers differ from the values."""
        return self.scale != 1.0 or self.offset != 0.0


PLAIN: Final = Quantity()


def gdal_entries(quantity: Quantity, bands: Sequence[str]) -> list[Entry]:
    """The tags for bands of a quantity with these names; a name may be empty."""
    root = ET.Element("GDALMetadata")
    for name in ("name", "standard_name"):
        if value := getattr(quantity, name):
            _put(root, {"name": "long_name" if name == "name" else name}, value)
    for number, band in enumerate(bands):
        for role, value in [("description", band), *quantity.items()]:
            if value:
                _put(root, {"name": role.upper(), "sample": str(number), "role": role}, value)
    entries = []
    if len(root):
        entries.append(ascii_text(_METADATA, ET.tostring(root, "us-ascii").decode("ascii")))
    if quantity.no_data is not None:
        entries.append(ascii_text(_NO_DATA, number_text(quantity.no_data)))
    return entries


def _put(root: ET.Element, attributes: dict[str, str], value: str) -> None:
    # GDAL decodes references twice, and encodes them twice itself.
    ET.SubElement(root, "Item", attributes).text = xml_text(value).replace("&", "&amp;")


def number_text(value: np.generic) -> str:
    """A number as GDAL reads it.

    >>> number_text(np.float32(0.1)), number_text(np.int64(-9223372036854775808)), number_text(np.float64("nan"))
    ('0.10000000149011612', '-9223372036854775808', 'nan')
    """
    number: Any = value.item()
    return repr(number)
