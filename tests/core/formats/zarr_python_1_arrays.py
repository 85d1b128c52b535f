"""What zarr-python 1.1 wrote, arrays of version 1: writes ``zarr_python_1_arrays.tar.gz``, which the tests read.

It takes a Python of its own, for which there still are packages of that time (3.7), and a C compiler.

    python3.7 -m venv old && old/bin/pip install 'numpy<1.20' 'cython<3' 'setuptools<60' setuptools_scm fasteners wheel
    old/bin/pip install --no-build-isolation 'zarr==1.1.0'
    old/bin/python tests/core/formats/zarr_python_1_arrays.py
"""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from typing import Any

import numpy as np

from zarrcore.typing import AnyArray

ARCHIVE = Path(__file__).with_suffix(".tar.gz")
SHAPE, CHUNKS = (5, 7), (2, 3)
RECORD = [("a", "<i2"), ("b", ">f4")]
ARRAYS: dict[str, dict[str, Any]] = {
    "default": {"dtype": "<f8"},
    "columns": {"dtype": "<i4", "order": "F"},
    "zlib": {"dtype": ">i4", "compression": "zlib", "compression_opts": 3, "fill_value": 42},
    "bz2": {"dtype": "<u2", "compression": "bz2", "compression_opts": 2},
    "lzma": {"dtype": "<i8", "compression": "lzma", "fill_value": -1},
    "none": {"dtype": "|u1", "compression": "none", "fill_value": 7},
    "bool": {
        "dtype": "|b1",
        "compression": "blosc",
        "compression_opts": {"cname": "zlib", "clevel": 1, "shuffle": 2},
        "fill_value": True,
    },
    "nan": {"dtype": "<f4", "compression": "zlib", "fill_value": float("nan")},
    "text": {"dtype": "|S4", "compression": "zlib"},
    "record": {"dtype": RECORD, "compression": "zlib"},
    "complex": {"dtype": "<c8", "compression": "zlib"},
}


def values(name: str) -> AnyArray:
    """What each array holds: of the chunk at (0, 1) nothing but the fill value."""
    numbers = np.arange(35).reshape(SHAPE) % 11
    dtype = np.dtype(ARRAYS[name]["dtype"])
    if dtype.names:
        made = np.zeros(SHAPE, dtype)
        made["a"], made["b"] = numbers, numbers / 2
    else:
        made = numbers.astype(dtype)
    fill_value = ARRAYS[name].get("fill_value")
    made[:2, 3:6] = np.zeros((), dtype) if fill_value is None else fill_value
    return made


def main() -> None:
    """Write the archive."""
    import zarr

    with tarfile.open(ARCHIVE, "w:gz", compresslevel=9) as archive:
        for name, options in ARRAYS.items():
            store: dict[str, bytes] = {}
            zarr.init_store(store, shape=SHAPE, chunks=CHUNKS, **options)  # type: ignore[attr-defined] # of version 1
            array, written = zarr.Array(store), values(name)
            array[...] = written
            array.attrs["name"] = name
            del store["0.1"]
            for key in sorted(store):
                member = tarfile.TarInfo(f"{name}/{key}")
                data = bytes(store[key])
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))


if __name__ == "__main__":
    main()
