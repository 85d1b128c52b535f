"""What is known not to become arrays that are the same, and why: ``outcomes.txt`` has each file and node.

To write the list again, after looking at each difference::

    python -m tests.proofs.corpora.outcomes
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.proofs.corpora.examine import Outcome, examine

FOLDER: Final = Path(__file__).parents[3] / ".artefacts" / "corpora"
LIST: Final = Path(__file__).with_suffix(".txt")
DOCUMENTS: Final = {".zgroup", ".zarray", "zarr.json"}
REASONS: Final = {
    "the file or the format is another one": "does not begin with a header of NIfTI|neither a folder nor a file",
    "a link leads nowhere": "link.* does not exist",
    "links in a circle": "leads to a group above it|leads to itself|through more than 256",
    "a link of a kind that only a program knows": "the link is of the kind",
    "an unknown message that a reader must understand": r"which a reader must understand",
    "a filter that is not public": r"codec 'HDF5 filter \d+ \((?!scaleoffset)",
    "times of HDF5, for which Zarr has no type": "holds times, for which",
    "references as HDF5 1.12 has them": "holds references, for which",
    "floating-point numbers of 16 bytes, or of a VAX": "no type of IEEE 754",
    "an array of 2⁶³ bytes, or chunks of gigabytes": "2⁶³ bytes or more|which are too large",
    "a part of an HDF5 file in several files (family, multi, split)": (
        "the signature of HDF5 is not there|are at the bytes|is at the bytes|should be at byte"
    ),
    "HDF5 with addresses of 4 bytes": "addresses are not of 8 bytes",
    "elements in a file that the package lacks": "which has elements of a dataset of|with its elements does not exist",
    "its writer has not flushed it": "its writer has not flushed anything",
    "old JPEG without tables in its segments, which imagecodecs lacks": "an old-style JPEG",
    "a compression that tifffile lacks": "tifffile does not decode",
    "JSON with a comma too many": "Illegal trailing comma",
    "damaged on purpose": (
        "broken TIFF|image is broken|ends early|lies outside|wrong size|[Cc]hecksum|than are stored|no local heap"
        "|33 dimensions|array of 0|scaleoffset|fewer bytes than its shape"
    ),
    "only the other reader fails": "^the other reader fails",
    "the elements differ": "^elements of",
    "the array is not shown": "^not shown$",
    "the shapes differ": "^the shape is",
}
"""Reasons, and what the sentences that belong to them say."""


def files() -> list[Path]:
    """The files of all packages, and hierarchies in folders."""
    if not FOLDER.is_dir():
        return []
    every = [path for path in FOLDER.glob("[!.]*/**/*") if path.is_file()]
    roots = {path.parent for path in every if path.name in DOCUMENTS}
    tops = {root for root in roots if roots.isdisjoint(root.parents)}
    return sorted({path for path in every if tops.isdisjoint(path.parents)} | tops)


def name_of(path: Path) -> str:
    """The name of a file in the list."""
    return path.relative_to(FOLDER).as_posix()


def reasons_of(path: Path, outcome: Outcome) -> Iterator[tuple[str, str]]:
    """The reason for each node of a file that is not the same; a sentence that belongs to no reason is its own."""
    for node, sentence in (*outcome.refused.items(), *outcome.different.items()):
        reason = next((name for name, said in REASONS.items() if re.search(said, sentence)), sentence)
        yield f"{name_of(path)}#{node}" if node else name_of(path), reason


def listed() -> dict[str, str]:
    """The list: a reason for each node."""
    found: dict[str, str] = {}
    reason = ""
    for line in LIST.read_text("utf-8").splitlines():
        if line.startswith("== "):
            reason = line.removeprefix("== ")
        else:
            found[line] = reason
    return found


def main() -> int:
    """Write the list, and print how many files and arrays each package has."""
    warnings.simplefilter("ignore")
    by_reason: dict[str, list[str]] = {}
    counts: dict[str, list[int]] = {}
    for path in files():
        outcome = examine(path)
        row = counts.setdefault(name_of(path).partition("/")[0], [0, 0, 0, 0])
        row[0] += 1
        row[1] += outcome.equal
        row[2] += len(outcome.refused)
        row[3] += len(outcome.different)
        for name, reason in reasons_of(path, outcome):
            by_reason.setdefault(reason, []).append(name)
    lines = [line for reason in sorted(by_reason) for line in (f"== {reason}", *by_reason[reason])]
    LIST.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    for package, row in counts.items():
        print("|", package, "|", " | ".join(map(str, row)), "|")
    return 0


if __name__ == "__main__":
    sys.exit(main())
