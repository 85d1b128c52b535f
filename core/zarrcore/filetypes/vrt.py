"""``vrt``: a stack of planes as one raster of GDAL, whose bands are the GeoTIFF files of the planes.

Specification: GDAL, "VRT -- GDAL Virtual Format". GDAL opens a plane's file when it reads that band, so that a stack
may have many of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product
from typing import Final
from xml.sax.saxutils import escape

import numpy as np

from zarrcore.array import Array
from zarrcore.errors import UnsupportedError
from zarrcore.filetypes.tiff.gdal_tags import number_text
from zarrcore.filetypes.tiff.geo_image import array_as_geotiff
from zarrcore.filetypes.tiff.geo_keys import crs_text
from zarrcore.filetypes.tiff.geotiff import GeoTiffFile
from zarrcore.filetypes.tiff.ome_xml import xml_text
from zarrcore.filetypes.tiff.raster_facts import RasterFacts

MAX_NBYTES: Final = 16 << 20
"""The longest text, which is enough for some 20,000 bands."""
_MAX_BANDS: Final = 65_535
_TYPES: Final = {
    "bool": "Byte",
    "uint8": "Byte",
    "int8": "Int8",
    **{
        f"{kind}{bits}": f"{name}{bits}"
        for kind, name in (("uint", "UInt"), ("int", "Int"))
        for bits in (16, 32, 64)
    },
    "float16": "Float32",
    "float32": "Float32",
    "float64": "Float64",
    "complex64": "CFloat32",
    "complex128": "CFloat64",
}
"""GDAL's names of NumPy's types."""

Index = tuple[int | slice, ...]


def stack_as_vrt(array: Array, facts: RasterFacts, source: Callable[[Index], str]) -> bytes:
    """All planes of an array as bands, the last dimension fastest.

    Args:
        array: the array.
        facts: what metadata say about it.
        source: the name of the GeoTIFF of a selection of one plane, relative to the directory of the text.

    Raises:
        UnsupportedError: the array has no dimensions besides rows and columns, or too many planes, or TIFF has no such type.
    """
    axes = [axis for axis in range(array.ndim) if axis not in (*facts.plane, facts.colours)]
    planes = math.prod(array.shape[axis] for axis in axes)
    if not axes or not 0 < planes <= _MAX_BANDS:
        raise UnsupportedError(
            "shape", str(array.shape), f"is not that of a stack of 1 to {_MAX_BANDS:,} planes"
        )
    first = array_as_geotiff(array, _selection(array, axes, (0,) * len(axes)), facts)
    parts = [*_beginning(first, facts)]
    nbytes = 0
    for position in product(*(range(array.shape[axis]) for axis in axes)):
        name = facts.band_name(array, [*zip(axes, position, strict=True)])
        file_name = source(_selection(array, axes, position))
        for sample in range(first.body.samples):
            parts.append(_band(first, facts, name, file_name, sample))
            nbytes += len(parts[-1])
        if nbytes > MAX_NBYTES:
            raise UnsupportedError("shape", str(array.shape), f"has too many planes ({planes:,}) for a VRT")
    return "".join([*parts, "</VRTDataset>\n"]).encode()


def _selection(array: Array, axes: list[int], position: tuple[int, ...]) -> Index:
    known = dict(zip(axes, position, strict=True))
    return tuple(known.get(axis, slice(None)) for axis in range(array.ndim))


def _beginning(file: GeoTiffFile, facts: RasterFacts) -> Iterator[str]:
    yield f'<VRTDataset rasterXSize="{file.body.width}" rasterYSize="{file.body.height}">\n'
    crs = "" if facts.crs is None else crs_text(facts.crs)
    if crs:
        yield f"  <SRS>{_escaped(crs)}</SRS>\n"
    if file.transform is not None:
        a, b, c, d, e, f = file.transform
        yield f"  <GeoTransform>{', '.join(map(repr, (c, a, b, f, d, e)))}</GeoTransform>\n"


def _band(file: GeoTiffFile, facts: RasterFacts, name: str, file_name: str, sample: int) -> str:
    body, quantity = file.body, facts.quantity
    kind = _TYPES[body.array.dtype.name]
    colour = ("Red", "Green", "Blue", "Alpha")[sample] if body.samples > 1 else "Gray"
    size = f'xSize="{body.width}" ySize="{body.height}"'
    told = {
        "Description": name,
        "NoDataValue": "" if quantity.no_data is None else number_text(quantity.no_data),
        "UnitType": quantity.units,
        "Offset": repr(quantity.offset) if quantity.is_packed else "",
        "Scale": repr(quantity.scale) if quantity.is_packed else "",
        "ColorInterp": colour,
    }
    lines = [f"    <{tag}>{_escaped(value)}</{tag}>\n" for tag, value in told.items() if value]
    return (
        f'  <VRTRasterBand dataType="{kind}" blockXSize="{body.tile[1]}" blockYSize="{body.tile[0]}">\n'
        f"{''.join(lines)}"
        "    <SimpleSource>\n"
        f'      <SourceFilename relativeToVRT="1">{_escaped(file_name)}</SourceFilename>\n'
        f"      <SourceBand>{sample + 1}</SourceBand>\n"
        f"{_properties(file, kind)}"
        f'      <SrcRect xOff="0" yOff="0" {size}/>\n'
        f'      <DstRect xOff="0" yOff="0" {size}/>\n'
        "    </SimpleSource>\n"
        "  </VRTRasterBand>\n"
    )


def _properties(file: GeoTiffFile, kind: str) -> str:
    """What GDAL need not open a plane's file for. The type of float16 depends on its version."""
    body = file.body
    if body.array.dtype == np.float16:
        return ""
    return (
        f'      <SourceProperties RasterXSize="{body.width}" RasterYSize="{body.height}" DataType="{kind}"'
        f' BlockXSize="{body.tile[1]}" BlockYSize="{body.tile[0]}"/>\n'
    )


def _escaped(text: str) -> str:
    return escape(xml_text(text))
