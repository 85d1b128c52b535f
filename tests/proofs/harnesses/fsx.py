"""fsx: random reads, writes, truncations and mappings of one file, which fsx compares with a copy of its own.

Afterwards the value in the store is compared with a file of ``keys/``, and the elements that zarr-python reads with
``arrays/…/data.raw``.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import zarr

import zarrcore as zc
from tests.proofs.models.places import Place, mounted_place

OPERATIONS = 1500
WITHOUT = "aBCEFHIJKuz0"
RUNS = 4
KEYS_KINDS = ("local", "sqlite", "zip", "s3")
ARRAYS = {
    "bytes": {"shape": (262_144,), "dtype": "uint8", "chunks": (10_000,)},
    "cube": {"shape": (64, 32, 32), "dtype": "float32", "chunks": (8, 16, 16)},
    "odd": {"shape": (100, 37, 29), "dtype": "int16", "chunks": (7, 20, 29)},
}
FORMATS = ("v3", "v2")
VARIANTS = [*((kind, "keys") for kind in KEYS_KINDS), *(("local", name) for name in FORMATS)]


class HarnessError(AssertionError):
    """The program found a fault, or the store holds something else."""


@cache
def _without() -> list[str]:
    """Options that leave out system calls which no file of a mount has; each version of fsx knows some of them."""
    usage = subprocess.run(["fsx"], capture_output=True, check=False)
    text = (usage.stdout + usage.stderr).decode(errors="replace")
    letters = "".join(re.findall(r"\[-(\w+)\]", text)) + "".join(
        re.findall(r"^\s*-(\w)\b", text, re.MULTILINE)
    )
    return [f"-{letter}" for letter in WITHOUT if letter in letters]


def run_fsx(file: Path, seed: int, *options: str) -> None:
    """Run fsx on a file."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                "fsx",
                "-q",
                "-N",
                str(OPERATIONS),
                "-S",
                str(seed),
                "-c",
                "40",
                "-P",
                folder,
                *_without(),
                *options,
                file,
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=600,
            check=False,
        )
    if done.returncode:
        raise HarnessError(f"fsx -S {seed} on {file}:\n{done.stdout.decode(errors='replace')[-4000:]}")


def on_key(place: Place, seed: int) -> None:
    """One run on a new file of ``keys/``."""
    file = place.mounted.keys / f"value{seed}"
    run_fsx(file, seed, "-l", "400000", "-o", "100000")
    place.store.refresh()
    stored = place.store.get(file.name)
    if stored is None or bytes(stored) != file.read_bytes():
        raise HarnessError(f"fsx -S {seed}: the store has another value at the end")


def on_array(place: Place, seed: int, name: str) -> None:
    """One run on the elements of an array."""
    file = place.mounted.arrays / name / "data.raw"
    run_fsx(file, seed, "-L", "-o", "20000")
    path = Path(place.store.url.removeprefix("file://")) / name
    elements = np.asarray(zarr.open_array(path, mode="r")[...])
    if elements.tobytes() != file.read_bytes():
        raise HarnessError(f"fsx -S {seed}: zarr-python reads other elements of {name}")
    if not np.any(elements.view(np.uint8)):
        raise HarnessError(f"fsx -S {seed}: nothing was written to {name}")


def trial(seed: int) -> int:
    """Several runs on one mount; returns the number of operations."""
    kind, what = VARIANTS[seed % len(VARIANTS)]
    first = seed * RUNS + 1
    with mounted_place(kind) as place:
        if what == "keys":
            for number in range(first, first + RUNS):
                on_key(place, number)
            return RUNS * OPERATIONS
        hierarchy = zc.create(place.store, format=what)
        for number, (name, layout) in enumerate(ARRAYS.items()):
            hierarchy.create_array(name, **layout)[...] = 0
            place.mounted.refresh()
            on_array(place, first + number, name)
        return len(ARRAYS) * OPERATIONS
