"""Completion of a path that is being typed."""

from __future__ import annotations

import os
from itertools import islice

from zarrcore.stores import ZIP_SUFFIXES

_MOST = 100
_LOOKED_AT = 10_000


def folders_like(text: str) -> list[str]:
    """Local folders and zip files whose paths start with ``text``; none for a URL; blocks."""
    if "/" not in text or "://" in text or "::" in text or not text.startswith(("/", "~", ".")):
        return []
    folder, _, begun = text.rpartition("/")
    found = []
    try:
        with os.scandir(os.path.expanduser(folder or "/")) as entries:
            for entry in islice(entries, _LOOKED_AT):
                hidden = entry.name.startswith(".") and not begun.startswith(".")
                if entry.name.startswith(begun) and not hidden and _can_be_opened(entry):
                    found.append(f"{folder}/{entry.name}")
    except (OSError, ValueError):  # the folder does not exist, or its name is invalid
        return []
    return sorted(found)[:_MOST]


def _can_be_opened(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.name.endswith(ZIP_SUFFIXES) or entry.is_dir()
    except OSError:
        return False
