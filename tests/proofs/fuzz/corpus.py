"""The kept inputs of each target: those that together reach all that the fuzzer has reached, and those of findings."""

from __future__ import annotations

import zipfile
from pathlib import Path

FOLDER = Path(__file__).parent / "corpora"


def kept_inputs(name: str) -> list[bytes]:
    """The inputs of a target."""
    path = FOLDER / f"{name}.zip"
    if not path.exists():
        return []
    with zipfile.ZipFile(path) as archive:
        return [archive.read(member) for member in archive.namelist()]


def keep_inputs(name: str, inputs: list[bytes]) -> None:
    """Replace the kept inputs; the same inputs make the same file."""
    FOLDER.mkdir(exist_ok=True)
    with zipfile.ZipFile(FOLDER / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number, data in enumerate(sorted(set(inputs))):
            archive.writestr(zipfile.ZipInfo(f"{number:04}"), data, zipfile.ZIP_DEFLATED)
