"""What zarr-python 2.18 made of N5: writes ``zarr_python_2_n5.tar.gz``, which the tests read.

It takes a Python of its own: zarr-python 3 no longer writes N5, and the two do not live side by side.

    python -m venv old && old/bin/pip install 'zarr==2.18.*' 'numcodecs<0.16'
    old/bin/python tests/core/formats/n5/zarr_python_2_n5.py
"""

from __future__ import annotations

import io
import tarfile
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

ARCHIVE = Path(__file__).with_suffix(".tar.gz")
COMPRESSORS: dict[str, dict[str, Any] | None] = {
    "raw": None,
    "zlib": {"id": "zlib"},
    "gzip": {"id": "gzip"},
    "bz2": {"id": "bz2"},
    "xz": {"id": "lzma"},
    "lzma": {"id": "lzma", "format": 2, "preset": 1},
    "lz4": {"id": "lz4"},
    "zstd": {"id": "zstd"},
    "blosc": {"id": "blosc"},
}
VALUES = np.arange(35, dtype="u2").reshape(5, 7)


def main() -> None:
    """Write the archive."""
    import numcodecs
    import zarr

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        root = zarr.group(store=zarr.N5Store(folder))
        root.attrs["who"] = "zarr-python"
        for name, config in COMPRESSORS.items():
            compressor = None if config is None else numcodecs.get_codec(dict(config))
            array = root.create_dataset(f"group/{name}", data=VALUES, chunks=(2, 3), compressor=compressor)
            array.attrs.update({"_ARRAY_DIMENSIONS": ["y", "x"], "unit": "mm"})
        with tarfile.open(ARCHIVE, "w:gz", compresslevel=9) as archive:
            for file in sorted(path for path in Path(folder).rglob("*") if path.is_file()):
                member = tarfile.TarInfo(str(file.relative_to(folder)))
                member.size = file.stat().st_size
                archive.addfile(member, io.BytesIO(file.read_bytes()))


if __name__ == "__main__":
    main()
