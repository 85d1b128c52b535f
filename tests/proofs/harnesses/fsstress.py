"""fsstress: several processes make, write, rename, link and remove at random in one directory tree.

It checks nothing itself. Afterwards the daemon must live, without an unforeseen error, and the mount must show what its store
holds.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.proofs.harnesses.fsx import KEYS_KINDS, HarnessError
from tests.proofs.models.places import Place, mounted_place

OPERATIONS = 800
PROCESSES = 4


def trial(seed: int) -> int:
    """One run on a new mount; returns the number of operations."""
    with mounted_place(KEYS_KINDS[seed % len(KEYS_KINDS)]) as place:
        folder = place.mounted.keys / "stress"
        folder.mkdir()
        done = subprocess.run(
            [
                *("fsstress", "-d", folder, "-s", str(seed + 1), "-n", str(OPERATIONS)),
                *("-p", str(PROCESSES), *_keeping()),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=800,
            check=False,
        )
        if done.returncode:
            raise HarnessError(
                f"fsstress ends with {done.returncode}: {done.stdout.decode(errors='replace')[-3000:]}"
            )
        _compare(place)
        log = place.mounted.log.read_text()
        if "Traceback" in log or "EIO" in place.mounted.stats()["errors"]:
            raise HarnessError(f"an unforeseen error: {log[-3000:]}")
        return OPERATIONS * PROCESSES


def _keeping() -> list[str]:
    """The option to keep the files, where they are removed without it."""
    usage = subprocess.run(["fsstress", "-H"], capture_output=True, check=False)
    return ["-c"] if b"not to remove files" in usage.stdout + usage.stderr else []


def _compare(place: Place) -> None:
    place.store.refresh()
    stored = {entry.key: place.store.get(entry.key) for entry in place.store.list_prefix("stress/")}
    seen = {
        path.relative_to(place.mounted.keys).as_posix(): path
        for path in _files(place.mounted.keys / "stress")
    }
    if not stored:
        raise HarnessError("fsstress left no files")
    if seen.keys() != stored.keys():
        raise HarnessError(f"other names than in the store: {sorted(seen.keys() ^ stored.keys())[:10]}")
    for key, path in seen.items():
        value = stored[key]
        if value is None or path.read_bytes() != bytes(value):
            raise HarnessError(f"{key} has another content than in the store")


def _files(folder: Path) -> Iterator[Path]:
    for above, _, names in os.walk(folder):
        yield from (Path(above) / name for name in names)
