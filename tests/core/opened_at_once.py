"""Sources of all kinds, and a process that opens them in eight threads at once.

``python -m tests.core.opened_at_once FOLDER SEED`` is the process.
"""

from __future__ import annotations

import base64
import json
import random
import subprocess
import sys
import threading
import traceback
import warnings
import zlib
from pathlib import Path
from typing import Any

THREADS = 8

_SCHEMES = {"a.sqlite": "sqlite://", "a.lmdb": "lmdb://"}


def make(folder: Path) -> None:
    """Write one source of each kind that needs no server; those of packages that are not installed are left out."""
    import numpy as np

    import zarrcore as zc

    elements = np.arange(64, dtype="int32").reshape(8, 8)
    for name, format_name, codecs in [
        ("blosc.zarr", "v3", [{"name": "blosc"}]),
        ("gzip.zarr", "v3", [{"name": "gzip"}]),
        ("v2.zarr", "v2", [{"name": "blosc"}]),
        ("a.n5", "n5", None),
        ("a.zip", "v3", None),
        ("a.sqlite", "v3", None),
        ("a.lmdb", "v2", None),
    ]:
        with zc.create(f"{_SCHEMES.get(name, '')}{folder / name}", format_name) as hierarchy:
            hierarchy.create_array("x", shape=(8, 8), dtype="int32", codecs=codecs)[...] = elements  # type: ignore[arg-type]
    with zc.create(str(folder / "texts.zarr")) as hierarchy:
        hierarchy.create_array("x", shape=(2,), dtype="string")[...] = ["a", "b"]
        hierarchy.create_array("shards", shape=(8, 8), dtype="int32", chunks=(4, 4), shards=(8, 8))[...] = (
            elements
        )
    _references(folder / "a.refs.json", elements)
    for write in (_hdf5, _tiff, _nifti, _nrrd, _netcdf3, _icechunk):
        try:
            write(folder, elements)
        except ModuleNotFoundError:
            continue


def _references(path: Path, elements: Any) -> None:
    array = {
        "zarr_format": 2,
        "shape": [8, 8],
        "chunks": [8, 8],
        "dtype": "<i4",
        "compressor": {"id": "zlib", "level": 1},
        "filters": [{"id": "delta", "dtype": "<i4"}],
        "fill_value": 0,
        "order": "C",
    }
    import numpy as np

    stored = zlib.compress(np.diff(elements.ravel(), prepend=0).astype("int32").tobytes())
    references = {
        ".zgroup": '{"zarr_format": 2}',
        "x/.zarray": json.dumps(array),
        "x/0.0": f"base64:{base64.b64encode(stored).decode()}",
    }
    path.write_text(json.dumps({"version": 1, "refs": references}))


def _hdf5(folder: Path, elements: Any) -> None:
    import h5py

    with h5py.File(folder / "a.h5", "w") as file:
        file.create_dataset(
            "x", data=elements, chunks=(4, 4), compression="gzip", shuffle=True, fletcher32=True
        )


def _tiff(folder: Path, elements: Any) -> None:
    import tifffile

    tifffile.imwrite(
        folder / "a.tif", elements.astype("uint16"), compression="zlib", tile=(16, 16), predictor=True
    )


def _nifti(folder: Path, elements: Any) -> None:
    import nibabel
    import numpy as np

    image = nibabel.Nifti1Image(elements.astype("int16")[..., None], np.eye(4))
    nibabel.save(image, folder / "a.nii.gz")


def _nrrd(folder: Path, elements: Any) -> None:
    import nrrd

    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        nrrd.write(str(folder / "a.nrrd"), elements)


def _netcdf3(folder: Path, elements: Any) -> None:
    from scipy.io import netcdf_file

    with netcdf_file(folder / "a.nc", "w") as file:
        file.createDimension("n", 8)
        file.createVariable("x", "i4", ("n",))[:] = elements[0]


def _icechunk(folder: Path, elements: Any) -> None:
    import icechunk
    import zarr

    icechunk.set_logs_filter("off")
    repository = icechunk.Repository.create(icechunk.local_filesystem_storage(str(folder / "icechunk")))
    session = repository.writable_session("main")
    array = zarr.open_group(session.store, mode="w").create_array("x", shape=(8, 8), dtype="int32")
    array[:] = elements
    session.commit("one array")


def run(folder: Path, seed: int) -> None:
    """Open the sources in a new process.

    Raises:
        AssertionError: one of them did not open; the text says why.
    """
    command = [sys.executable, "-m", "tests.core.opened_at_once", str(folder), str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def _open_all(folder: Path, seed: int) -> int:
    sys.setswitchinterval(1e-5)
    sources = [f"{_SCHEMES.get(path.name, '')}{path}" for path in sorted(folder.iterdir())]
    assert len(sources) >= 9
    random.Random(seed).shuffle(sources)
    barrier, failures = threading.Barrier(THREADS), []

    def read(some: list[str]) -> None:
        barrier.wait()
        for source in some:
            try:
                _read(source)
            except Exception:  # noqa: BLE001 - whatever it is, the process reports it
                failures.append(f"{source}: {traceback.format_exc()}")

    threads = [threading.Thread(target=read, args=(sources[i::THREADS],)) for i in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(*failures, sep="\n", end="\n" if failures else "")
    return bool(failures)


def _read(source: str) -> None:
    import zarrcore as zc

    arrays = 0
    for node in zc.open_hierarchy(source).walk():
        if isinstance(node, zc.BrokenNode):
            raise node.error
        if node.kind == "array":
            arrays += 1
            node[...]  # type: ignore[index]
    assert arrays, "no array was found"


if __name__ == "__main__":
    sys.exit(_open_all(Path(sys.argv[1]), int(sys.argv[2])))
