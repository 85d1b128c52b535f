"""Inputs of each target that are kept as data: those that together reach what the fuzzer has reached, and those of findings."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterable
from pathlib import Path

FOLDER = Path(__file__).parent / "corpora"
MAX_INPUTS = 300
MAX_NBYTES = 64 << 10
_FINDING = "finding-"


def kept_inputs(name: str) -> list[bytes]:
    """The inputs of a target: those for coverage, then those of findings."""
    return [data for _, data in _members(name)]


def kept_findings(name: str) -> list[bytes]:
    """The inputs that once were findings."""
    return [data for member, data in _members(name) if member.startswith(_FINDING)]


def keep_inputs(name: str, inputs: Iterable[bytes], findings: Iterable[bytes]) -> None:
    """Replace the kept inputs; the same inputs make the same file.

    Raises:
        ValueError: too many or too large inputs.
    """
    found = set(findings)
    members = {
        **{_hash(data): data for data in set(inputs) - found},
        **{f"{_FINDING}{_hash(data)}": data for data in found},
    }
    if len(members) > MAX_INPUTS or any(len(data) > MAX_NBYTES for data in members.values()):
        raise ValueError(f"{name}: more than {MAX_INPUTS} inputs, or one of more than {MAX_NBYTES >> 10} KiB")
    FOLDER.mkdir(exist_ok=True)
    with zipfile.ZipFile(FOLDER / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for member in sorted(members):
            archive.writestr(zipfile.ZipInfo(member), members[member], zipfile.ZIP_DEFLATED)


def _members(name: str) -> list[tuple[str, bytes]]:
    path = FOLDER / f"{name}.zip"
    if not path.exists():
        return []
    with zipfile.ZipFile(path) as archive:
        return [(member, archive.read(member)) for member in archive.namelist()]


def _hash(data: bytes) -> str:
    return hashlib.sha1(data).hexdigest()[:16]
