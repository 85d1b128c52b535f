"""``npy``: NumPy's own format; ``np.load(path, mmap_mode="r")`` opens a file as a lazy array.

Specification: NumPy, "numpy.lib.format".
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from zarrcore.filetypes.interface import HeaderAndBody
from zarrcore.metadata.data_type import is_small_number, with_parts


class NpyFile(HeaderAndBody):
    """NumPy's header, then the elements."""

    suffix = "npy"

    def _make_header(self) -> bytes:
        dtype = self.array.dtype
        header = {
            "descr": np.lib.format.dtype_to_descr(with_parts(dtype, _numpys_own)),
            "fortran_order": False,
            "shape": self.body.shape,
        }
        stream = io.BytesIO()
        try:
            np.lib.format.write_array_header_1_0(stream, header)
        except UnicodeEncodeError:
            return _header_3_0(header)
        except ValueError:  # longer than 64 KiB
            stream = io.BytesIO()
            np.lib.format.write_array_header_2_0(stream, header)
        return stream.getvalue()


def _numpys_own(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """A part of a dtype, or raw bytes for a type of ml_dtypes, which a NumPy file cannot express."""
    return np.dtype(f"V{dtype.itemsize}") if is_small_number(dtype) else dtype


def _header_3_0(header: dict[str, Any]) -> bytes:
    """A header of version 3.0, for field names outside Latin-1; NumPy has no public function that writes it."""
    text = repr(header).encode()
    begin = len(np.lib.format.magic(3, 0)) + 4
    padding = -(begin + len(text) + 1) % np.lib.format.ARRAY_ALIGN
    text += b" " * padding + b"\n"
    return np.lib.format.magic(3, 0) + len(text).to_bytes(4, "little") + text
