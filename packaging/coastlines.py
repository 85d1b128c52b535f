"""Write the coastlines that the window draws over maps, from Natural Earth.

    python packaging/coastlines.py [FOLDER]

It needs npm, and the registry of npm: `npm pack` fetches the package world-atlas, whose TopoJSON files hold the land of
Natural Earth. FOLDER is the destination, by default that of the window's module. It writes coastlines.npz, and
coastlines.txt, which tells where the numbers come from.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zarrcore.typing import AnyArray

HERE = Path(__file__).resolve().parents[1] / "browser" / "zarrbrowser" / "maps"
PACKAGE = "world-atlas@2.0.2"
SCALES = ("110m", "50m")
PER_DEGREE = 200
"""Coordinates are multiples of 1/200 degree, about 550 m: finer than the lines of 1:50 million."""
EDGE = 0.02
"""Lines this near to the antimeridian or the south pole, in degrees, bound the polygons, not the land."""


def main() -> int:
    """Fetch, convert and write."""
    parser = argparse.ArgumentParser(description="Write the coastlines that the window draws over maps.")
    parser.add_argument("folder", nargs="?", default=str(HERE), help="the destination (%(default)s)")
    folder = Path(parser.parse_args().folder)
    with tempfile.TemporaryDirectory() as work:
        archive = fetch(Path(work))
        digest = hashlib.sha256(archive.read_bytes()).hexdigest()
        with tarfile.open(archive) as package:
            topologies = {scale: read(package, scale) for scale in SCALES}
    arrays: dict[str, AnyArray] = {"per_degree": np.array(PER_DEGREE, np.int16)}
    for scale, topology in topologies.items():
        lines = list(coastlines(topology))
        steps = [np.diff(line, axis=0) for line in lines]
        arrays[f"{scale}_starts"] = np.array([line[0] for line in lines], np.int32)
        arrays[f"{scale}_lengths"] = np.array([len(line) for line in lines], np.int32)
        arrays[f"{scale}_steps"] = np.concatenate(steps).astype(np.int16)
    np.savez_compressed(folder / "coastlines.npz", allow_pickle=False, **arrays)
    (folder / "coastlines.txt").write_text(provenance(digest), "utf-8")
    for name in ("coastlines.npz", "coastlines.txt"):
        print(f"{folder / name}: {(folder / name).stat().st_size:,} bytes")
    return 0


def fetch(folder: Path) -> Path:
    """The archive of the package."""
    command = ["npm", "pack", PACKAGE, "--silent"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    (archive,) = folder.glob("*.tgz")
    return archive


def read(package: tarfile.TarFile, scale: str) -> dict[str, Any]:
    """The topology of the land at one scale."""
    file = package.extractfile(f"package/land-{scale}.json")
    assert file is not None
    found: dict[str, Any] = json.load(file)
    return found


def coastlines(topology: dict[str, Any]) -> Iterator[NDArray[np.int64]]:
    """The lines of a topology in multiples of 1/`PER_DEGREE` degree, shape (n, 2): longitude, latitude.

    TopoJSON, 2.1.3 "Arcs": positions are differences in steps of the transformation's scale.
    """
    scale, translate = (np.array(topology["transform"][name]) for name in ("scale", "translate"))
    for arc in topology["arcs"]:
        degrees = np.cumsum(np.array(arc), axis=0) * scale + translate
        degrees[:, 0] = np.unwrap(degrees[:, 0], period=360)  # some lines cross the antimeridian
        is_edge = (np.abs(np.abs(degrees[:, 0]) - 180) < EDGE) | (degrees[:, 1] < -90 + EDGE)
        cuts = np.flatnonzero(is_edge[:-1] & is_edge[1:]) + 1
        for line in np.split(np.rint(degrees * PER_DEGREE).astype(np.int64), cuts):
            is_new = np.r_[True, (np.diff(line, axis=0) != 0).any(axis=1)]
            if is_new.sum() > 1:
                yield line[is_new]


def provenance(digest: str) -> str:
    """Where the numbers come from."""
    return f"""coastlines.npz: the coastlines of the world at the scales of 1:110 million and 1:50 million.

Source:   Natural Earth 4.1.0, physical vectors, land. https://www.naturalearthdata.com
          "Made with Natural Earth. Free vector and raster map data @ naturalearthdata.com."
Licence:  public domain. https://www.naturalearthdata.com/about/terms-of-use/
Taken from the package {PACKAGE} of npm (files land-110m.json and land-50m.json), whose packaging has the ISC licence,
Copyright 2013-2019 Michael Bostock. SHA-256 of its archive:
          {digest}
Made by   python packaging/coastlines.py
          It decodes the arcs of the TopoJSON files, leaves out the edges of polygons along the antimeridian and around the south
          pole, and rounds to 1/{PER_DEGREE} degree. Lines that cross the antimeridian go on beyond 180 or -180 degrees.

Arrays:   per_degree   the steps per degree
          SCALE_starts   int32 (lines, 2): the first point of each line, longitude and latitude in steps
          SCALE_lengths  int32 (lines): the points of each line
          SCALE_steps    int16 (points - lines, 2): the differences between the points of each line
"""


if __name__ == "__main__":
    sys.exit(main())
