"""``nrrd``: "nearly raw raster data" for medical and scientific images: a header and the elements.

Specification: Teem, "Definition of NRRD File Format", NRRD0004. Spacings are omitted, which means that they are unknown.
"""

from __future__ import annotations

import re
from typing import Final

from zarrcore.array import plane_ndim
from zarrcore.errors import UnsupportedError
from zarrcore.filetypes.interface import HeaderAndBody

_TYPES: Final = {f"{kind}{bits}": f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)} | {
    "bool": "uint8",
    "float32": "float",
    "float64": "double",
}
"""NRRD's names of NumPy's types; complex numbers and short floats have none."""
_NDIM_MAX: Final = 16
_LABEL: Final = re.compile(r"[ !#-\[\]-~]*")
"""Printable ASCII without quotes and backslashes, which readers treat differently."""


class NrrdFile(HeaderAndBody):
    """A header in ASCII, then the elements; the header names the fastest axis first."""

    suffix = "nrrd"

    def _make_header(self) -> bytes:
        shape, dtype = self.body.shape, self.array.dtype
        if dtype.name not in _TYPES:
            raise UnsupportedError("data type", dtype.name, "has no name in NRRD")
        if not 1 <= len(shape) <= _NDIM_MAX or 0 in shape:
            raise UnsupportedError(
                "shape", str(shape), f"does not have 1 to {_NDIM_MAX} dimensions and at least one element"
            )
        labels = [f'"{_label(name)}"' for name in reversed(self.body.dimension_names)]
        lines = [
            "NRRD0004",
            f"type: {_TYPES[dtype.name]}",
            f"dimension: {len(shape)}",
            f"sizes: {' '.join(map(str, reversed(shape)))}",
            f"labels: {' '.join(labels)}",
            "endian: little",
            "encoding: raw",
        ]
        if plane_ndim(shape, dtype) == 3:
            colour = "RGB-color" if shape[-1] == 3 else "RGBA-color"
            lines.append(f"kinds: {' '.join([colour, *['???'] * (len(shape) - 1)])}")
        return ("\n".join(lines) + "\n\n").encode("ascii")


def _label(name: str | None) -> str:
    """A dimension's name, if a header can express it; otherwise empty.

    >>> _label("time"), _label("größe"), _label(None)
    ('time', '', '')
    """
    return name if name is not None and _LABEL.fullmatch(name) else ""
