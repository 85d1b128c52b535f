"""The findings of a hierarchy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import zarrcore as zc
from zarrcore.operations.check import Finding, check
from zarrcore.stores.interface import ReadableStore

DATA = np.arange(1, 101, dtype="i4").reshape(10, 10)


def findings(root: Path | ReadableStore, path: str = "/", **options: Any) -> list[Finding]:
    return list(check(zc.open_hierarchy(root), path, **options))


def kinds(root: Path | ReadableStore, path: str = "/", **options: Any) -> set[tuple[str, str, str]]:
    return {(finding.severity, finding.what, finding.path) for finding in findings(root, path, **options)}
