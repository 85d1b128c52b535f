"""A window in which thousands of random things are done, over ten sources of all kinds.

Its figures are written to .artefacts/proofs/soak, 24 times or more.
"""

from __future__ import annotations

import contextlib
import csv
import runpy
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
import tifffile

import zarrcore as zc
from tests.proofs.soak.figures import WARM_S, Sample, growing, process_figures
from tests.proofs.soak.programs import SoakError, program
from tests.proofs.trials import ROOT

PLACE = ROOT / ".artefacts" / "proofs" / "soak"
DEFAULT_S = 300.0
EACH_MS = 25
MOST_MIB = 400.0
_SAMPLES = 24


def write_sources(folder: Path) -> list[str]:
    """Ten sources, and nodes in them: the hierarchies of the guide's pictures, HDF5, TIFF, N5 and zip files.

    Args:
        folder: an empty folder.
    """
    sys.path.insert(0, str(ROOT / "packaging"))  # the script imports the module beside it
    try:
        runpy.run_path(str(ROOT / "packaging" / "screenshot_data.py"))["write_data"](str(folder / "data"))
    finally:
        sys.path.pop(0)
    random = np.random.default_rng(1)
    noise = random.integers(0, 1000, (20, 300, 400)).astype("u2")
    with h5py.File(folder / "a.h5", "w") as file:
        file.create_dataset("noise", data=noise, chunks=(1, 100, 100), compression="gzip")
    tifffile.imwrite(folder / "a.tif", noise, tile=(64, 64))
    for place, name in (("a.n5", "n5"), ("a.zarr.zip", "v3")):
        with zc.open_store(folder / place, create=True) as store:
            array = zc.create(store, format=name).create_array(
                "noise", shape=noise.shape, chunks=(5, 100, 100), dtype="u2"
            )
            array[...] = noise
    data = folder / "data"
    nodes = {
        data / "brain.zarr": ("", "anatomical", "functional", "derived/mean_signal"),
        data / "cells.zarr": ("", "0"),
        data / "nuclei.zarr": ("",),
        data / "climate.zarr": ("tas", "time", "stations"),
        data / "sky.zarr": ("mosaic",),
        data / "plate.zarr": ("", "B/1", "B/1/0"),
        folder / "a.h5": ("noise",),
        folder / "a.tif": ("",),
        folder / "a.n5": ("noise",),
        folder / "a.zarr.zip": ("noise",),
    }
    return [f"{source}#/{path}" for source, paths in nodes.items() for path in paths]


def _told(window: subprocess.Popen[bytes]) -> Iterator[int]:
    """The numbers of things done, as the program tells them."""
    for line in window.stdout or ():
        yield int(line)


def trial(seed: int, seconds: str = str(DEFAULT_S)) -> int:
    """Do random things for some time; returns how many.

    Raises:
        SoakError: the window ended, takes too much memory, or takes more and more over the second half.
    """
    lasting_s = float(seconds)
    samples: list[Sample] = []
    done = 0
    PLACE.mkdir(parents=True, exist_ok=True)
    table = PLACE / f"window-{time.strftime('%Y%m%d-%H%M%S')}.csv"
    with contextlib.ExitStack() as stack:
        sources = write_sources(Path(stack.enter_context(tempfile.TemporaryDirectory())))
        file = stack.enter_context(table.open("w", newline=""))
        window = stack.enter_context(program("window", str(seed), str(EACH_MS), *sources))
        began_s = next_s = time.monotonic()
        for done in _told(window):
            now_s = time.monotonic()
            if now_s >= next_s:
                next_s += lasting_s / _SAMPLES
                figures = {f"window {name}": value for name, value in process_figures(window.pid).items()}
                samples.append({"second": round(now_s - began_s, 1), "actions": done, **figures})
                writer = csv.DictWriter(file, list(samples[0]))
                if len(samples) == 1:
                    writer.writeheader()
                writer.writerow(samples[-1])
                file.flush()
            if now_s >= began_s + lasting_s:
                break
    most = max((sample["window MiB"] for sample in samples), default=0.0)
    if most > MOST_MIB:
        raise SoakError(f"the window takes {most:,.0f} MiB: see {table}")
    if lasting_s >= WARM_S and (found := growing(samples)):
        raise SoakError(f"{'; '.join(found)}: see {table}")
    return done
