"""The demonstration's hierarchy: magnetic-resonance images that ship with nibabel, written by zarr-python as Zarr v3.

Volumes are stored in the order (time, z, y, x), with x towards the patient's left and y towards the back ("LPS", as
scanners show them), so that the last two axes are an upright picture of one slice.

    python packaging/demo_hierarchy.py FOLDER/brain.zarr
"""

from __future__ import annotations

import os
import sys
from typing import Any

import nibabel as nib
import numpy as np
import zarr
from nibabel.orientations import axcodes2ornt, io_orientation, ornt_transform
from zarr.codecs import BloscCodec, GzipCodec, ZstdCodec

OWN = {"title": "Images of a human brain", "source": "nibabel"}
"""The attributes of the root group, by which the demonstration recognizes its hierarchy."""
IMAGES = os.path.join(os.path.dirname(nib.__file__), "tests", "data")


def write(path: str) -> dict[str, np.ndarray]:
    """Write the hierarchy at a path, over an earlier one, and return nibabel's values of its arrays."""
    root = zarr.create_group(path, overwrite=True, attributes=OWN)
    functional, attributes = load("example4d.nii.gz")
    root.create_array(  # a shard per volume, a chunk per four planes: few files, small reads
        "functional",
        data=functional,
        chunks=(1, 4, 96, 128),
        shards=(1, 24, 96, 128),
        compressors=[ZstdCodec(level=5, checksum=True)],
        dimension_names=["time", "z", "y", "x"],
        attributes=attributes,
    )
    anatomical, attributes = load("anatomical.nii")
    root.create_array(
        "anatomical",
        data=anatomical,
        chunks=(5, 41, 33),
        compressors=[BloscCodec(cname="zstd", shuffle="bitshuffle", typesize=2)],
        dimension_names=["z", "y", "x"],
        attributes=attributes,
    )
    derived = root.create_group("derived", attributes={"description": "computed from other images"})
    series, _ = load("functional.nii")
    signal = np.asarray(series, np.float64).mean(axis=(1, 2, 3))
    derived.create_array(
        "mean_signal",
        data=signal,
        chunks=(8,),
        compressors=[GzipCodec()],
        dimension_names=["time"],
        attributes={"description": "mean of each volume of functional.nii", "repetition_time_s": 2.0},
    )
    return {"/functional": functional, "/anatomical": anatomical, "/derived/mean_signal": signal}


def load(name: str) -> tuple[np.ndarray, dict[str, Any]]:
    """One of nibabel's images as a native C-order array, and its affine and header as attributes."""
    image: Any = nib.load(os.path.join(IMAGES, name))
    upright = ornt_transform(io_orientation(image.affine), axcodes2ornt(("L", "P", "S")))
    image = image.as_reoriented(upright)
    voxels = np.asarray(image.dataobj).T
    attributes = {
        "file": name,
        "affine": image.affine.tolist(),
        "affine_of": "(x, y, z) to millimetres towards right, front, top",
        "units": dict(zip(("space", "time"), image.header.get_xyzt_units(), strict=True)),
        "header": {key: plain(value) for key, value in image.header.items()},
    }
    return np.ascontiguousarray(voxels, voxels.dtype.newbyteorder("=")), attributes


def plain(value: np.ndarray) -> Any:
    """A field of a header as JSON."""
    if value.dtype.kind == "S":
        return value.item().decode("latin-1")
    if value.dtype.kind == "f":
        finite = value.astype(object)
        finite[~np.isfinite(value)] = None  # JSON has no NaN
        return finite.tolist()
    return value.tolist()


if __name__ == "__main__":
    write(sys.argv[1])
