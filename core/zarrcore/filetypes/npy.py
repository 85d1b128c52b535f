"""``npy``: NumPy's own format; ``np.load(path, mmap_mode="r")`` of such a file is a lazy array.

Specification: NumPy, "numpy.lib.format".
"""

from __future__ import annotations

import io

import numpy as np

from zarrcore.filetypes.interface import HeaderAndBody


class NpyFile(HeaderAndBody):
    """NumPy's header, then the elements."""

    suffix = "npy"

    def _make_header(self) -> bytes:
        dtype = self.array.dtype
        if dtype.names is not None and not all(name.isascii() for name in dtype.names):
            write = np.lib.format.write_array_header_2_0
        else:
            write = np.lib.format.write_array_header_1_0
        stream = io.BytesIO()
        header = {
            "descr": np.lib.format.dtype_to_descr(dtype),
            "fortran_order": False,
            "shape": self.body.shape,
        }
        write(stream, header)
        return stream.getvalue()
