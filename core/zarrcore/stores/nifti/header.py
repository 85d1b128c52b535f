"""The header of a NIfTI file, and the extensions after it.

"The NIfTI-1 Data Format" (nifti1.h, 2007), and nifti2.h (2011).
"""

from __future__ import annotations

import base64
import math
import struct
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from zarrcore.stores.virtual.file_reader import BrokenFileError

HEAD_NBYTES: Final = 544
"""A header of either version, and the four bytes that say whether extensions follow."""
MAX_EXTENSIONS_NBYTES: Final = 16 << 20
_MAX_NDIM: Final = 7

_NIFTI1: Final = np.dtype(
    "i4,S10,S18,i4,i2,S1,u1,8i2,3f4,i2,i2,i2,i2,8f4,f4,f4,f4,i2,u1,u1,f4,f4,f4,f4,i4,i4,"
    "S80,S24,i2,i2,f4,f4,f4,f4,f4,f4,4f4,4f4,4f4,S16,S4"
)
_NIFTI1.names = (
    *("sizeof_hdr", "data_type", "db_name", "extents", "session_error", "regular", "dim_info", "dim"),
    *("intent_p", "intent_code", "datatype", "bitpix", "slice_start", "pixdim", "vox_offset"),
    *("scl_slope", "scl_inter", "slice_end", "slice_code", "xyzt_units", "cal_max", "cal_min"),
    *("slice_duration", "toffset", "glmax", "glmin", "descrip", "aux_file", "qform_code", "sform_code"),
    *("quatern_b", "quatern_c", "quatern_d", "qoffset_x", "qoffset_y", "qoffset_z"),
    *("srow_x", "srow_y", "srow_z", "intent_name", "magic"),
)
_NIFTI2: Final = np.dtype(
    "i4,S8,i2,i2,8i8,3f8,8f8,i8,f8,f8,f8,f8,f8,f8,i8,i8,S80,S24,i4,i4,f8,f8,f8,f8,f8,f8,"
    "4f8,4f8,4f8,i4,i4,i4,S16,u1,S15"
)
_NIFTI2.names = (
    *("sizeof_hdr", "magic", "datatype", "bitpix", "dim", "intent_p", "pixdim", "vox_offset"),
    *("scl_slope", "scl_inter", "cal_max", "cal_min", "slice_duration", "toffset"),
    *("slice_start", "slice_end", "descrip", "aux_file", "qform_code", "sform_code"),
    *("quatern_b", "quatern_c", "quatern_d", "qoffset_x", "qoffset_y", "qoffset_z"),
    *("srow_x", "srow_y", "srow_z", "slice_code", "xyzt_units", "intent_code", "intent_name"),
    *("dim_info", "unused"),
)
_MAGIC: Final = {
    348: (344, (b"n+1\0", b"ni1\0")),
    540: (4, (b"n+2\0\r\n\x1a\n", b"ni2\0\r\n\x1a\n")),
}
"""By the size of the header: the position of the signature, and the signatures of one file and of a pair of files."""

_SHOWN: Final = (
    *("descrip", "aux_file", "intent_code", "intent_name", "intent_p", "cal_min", "cal_max"),
    *("scl_slope", "scl_inter", "datatype", "pixdim", "xyzt_units", "toffset", "dim_info"),
    *("slice_code", "slice_start", "slice_end", "slice_duration", "qform_code", "sform_code"),
    *("quatern_b", "quatern_c", "quatern_d", "qoffset_x", "qoffset_y", "qoffset_z"),
    *("srow_x", "srow_y", "srow_z"),
)

_TYPES: Final = {
    2: ("u1", 1),
    4: ("i2", 1),
    8: ("i4", 1),
    16: ("f4", 1),
    32: ("c8", 1),
    64: ("f8", 1),
    128: ("u1", 3),
    256: ("i1", 1),
    512: ("u2", 1),
    768: ("u4", 1),
    1024: ("i8", 1),
    1280: ("u8", 1),
    1792: ("c16", 1),
    2304: ("u1", 4),
}
"""NumPy's name of a data type, and the number of its channels."""
_OTHER_TYPES: Final = {1: "single bits", 1536: "128-bit floats", 2048: "256-bit complex numbers"}


@dataclass(frozen=True, slots=True)
class Header:
    """What a header says."""

    version: int
    fields: Any
    """A NumPy record with the fields of the specification."""
    is_pair: bool
    """Whether the elements are in a file of their own."""
    byte_order: Literal["<", ">"]

    @property
    def nbytes(self) -> int:
        """Bytes of the header, with the four after it."""
        return int(self.fields["sizeof_hdr"]) + 4

    @property
    def data_start(self) -> int:
        """The position of the first element.

        Raises:
            BrokenFileError: it is not a position.
        """
        offset = float(self.fields["vox_offset"])
        if not 0 <= offset < 2**62:
            raise BrokenFileError(f"its elements are said to begin at byte {offset:g}")
        start = int(self.fields["vox_offset"])
        return start if self.is_pair else max(start, self.nbytes)

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the dimensions, the fastest first.

        Raises:
            BrokenFileError: there are none, or too many.
        """
        ndim = int(self.fields["dim"][0])
        if not 1 <= ndim <= _MAX_NDIM:
            raise BrokenFileError(f"it has {ndim} dimensions; 1 to {_MAX_NDIM} are allowed")
        lengths = tuple(map(int, self.fields["dim"][1 : ndim + 1]))
        if self.version == 1 and lengths[:3] == (-1, 1, 1):  # FreeSurfer's, for lengths beyond 16 bits
            lengths = (int(self.fields["glmin"]), *lengths[1:])
        if min(lengths) < 0:
            raise BrokenFileError(f"it has dimensions of the lengths {lengths}")
        return lengths

    @property
    def element(self) -> tuple[np.dtype[Any], int]:
        """The data type with its byte order, and the number of channels.

        Raises:
            BrokenFileError: elements of this type cannot be read.
        """
        code = int(self.fields["datatype"])
        if code not in _TYPES:
            what = _OTHER_TYPES.get(code, "of an unknown type")
            raise BrokenFileError(f"its elements are {what} (datatype {code}), which zarrscope does not read")
        name, channels = _TYPES[code]
        return np.dtype(self.byte_order + name), channels

    @property
    def scaling(self) -> tuple[float, float] | None:
        """Slope and intercept that stored values are to be scaled by; None if they are not."""
        slope, intercept = float(self.fields["scl_slope"]), float(self.fields["scl_inter"])
        if not slope or not math.isfinite(slope) or not math.isfinite(intercept):
            return None
        return None if (slope, intercept) == (1, 0) else (slope, intercept)

    def shown(self) -> dict[str, Any]:
        """The fields as JSON, without those that only describe the file, and those that are zero or empty."""
        shown = ((name, _shown(self.fields[name])) for name in _SHOWN)
        return {name: value for name, value in shown if (any(value) if isinstance(value, list) else value)}


def header_kind(head: bytes) -> tuple[int, Literal["<", ">"], bool] | None:
    """The version of a header, its byte order, and whether it is that of a pair of files; None if these bytes are not one.

    >>> header_kind((348).to_bytes(4, "little") + bytes(340) + b"n+1" + bytes(1))
    (1, '<', False)
    """
    orders: tuple[Literal["<", ">"], ...] = ("<", ">")
    for order in orders:
        size = struct.unpack(f"{order}i", head[:4])[0] if len(head) >= 4 else 0
        if size in _MAGIC:
            position, signatures = _MAGIC[size]
            found = head[position : position + len(signatures[0])]
            return (1 if size == 348 else 2, order, found == signatures[1]) if found in signatures else None
    return None


def parse_header(head: bytes) -> Header:
    """The header in the first bytes of a file.

    Raises:
        BrokenFileError: they are not a header.
    """
    kind = header_kind(head)
    if kind is None:
        raise BrokenFileError("it does not begin with a header of NIfTI")
    version, order, is_pair = kind
    dtype = _NIFTI1 if version == 1 else _NIFTI2
    if len(head) < dtype.itemsize:
        raise BrokenFileError("its header ends early")
    return Header(version, np.frombuffer(head, dtype.newbyteorder(order), 1)[0], is_pair, order)


def parse_extensions(data: bytes, byte_order: str) -> list[dict[str, Any]]:
    """Extensions as JSON: each has a ``code``, and ``text`` or ``base64``. What is broken ends the list.

    Args:
        data: the bytes between the header and the elements, with the four that say whether there are extensions.
        byte_order: ``<`` or ``>``.
    """
    found: list[dict[str, Any]] = []
    at = 4
    if not data[:1].strip(b"\0"):
        return found
    while at + 8 <= len(data):
        nbytes, code = struct.unpack_from(f"{byte_order}2i", data, at)
        if nbytes < 8 or at + nbytes > len(data):
            break
        found.append({"code": code} | _content(data[at + 8 : at + nbytes]))
        at += nbytes
    return found


def _content(data: bytes) -> dict[str, str]:
    try:
        text = data.rstrip(b"\0").decode()
    except UnicodeDecodeError:
        text = "\0"
    if all(character.isprintable() or character in "\t\r\n" for character in text):
        return {"text": text}
    return {"base64": base64.standard_b64encode(data).decode()}


def _shown(value: Any) -> Any:
    """A field as JSON: numbers that are not finite are null."""
    if isinstance(value, bytes):
        return value.partition(b"\0")[0].decode("utf-8", "replace")
    if isinstance(value, np.ndarray):
        return [_shown(each) for each in value]
    if isinstance(value, np.floating):
        # The shortest decimal of the type, such as 0.7 for a 32-bit float.
        return float(str(value)) if np.isfinite(value) else None
    return int(value)
