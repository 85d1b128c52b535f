"""Archives of data that other programs wrote."""

from __future__ import annotations

import tarfile
from pathlib import Path


def unpack(archive: Path, to: Path, part: str = "") -> Path:
    """Extract the members of an archive whose names begin with ``part`` into a directory; return the directory."""
    with tarfile.open(archive) as file:
        file.extraction_filter = getattr(tarfile, "data_filter", None)  # there is none before Python 3.11.4
        file.extractall(to, [member for member in file if member.name.startswith(part)])
    return to
