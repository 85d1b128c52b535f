"""``zarrscope copy``."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np

import zarrcore as zc
from tests.any_store import open_store
from tests.command import run_inside
from tests.proofs.kills.trials import choice_of, litter, make_old
from zarrcore.hierarchy import ArrayNode
from zarrcore.operations.check import check as findings_of

_TARGETS = {"local": "copy.zarr", "zip": "copy.zip", "sqlite": "copy.sqlite"}
_FORMATS = ("v3", "v2", "n5", "v3")
_NUMBERS = np.arange(1, 9 * 10 + 1, dtype="i4").reshape(9, 10)


def _target(root: Path, variant: str) -> Path:
    return root / "there" / _TARGETS[variant.split()[0]]


def _arguments(root: Path, variant: str) -> list[str]:
    format_ = _FORMATS[int(variant.split()[1])]
    arguments = [
        "copy",
        str(root / "source.zarr"),
        str(_target(root, variant)),
        "--to",
        format_,
        "--memory",
        "8K",
    ]
    if choice_of(variant).random() < 0.5 and format_ != "n5":
        arguments.append("--consolidate")
    return [*arguments, "--json"]


def prepare(root: Path, variant: str) -> None:
    """A hierarchy to copy."""
    (root / "there").mkdir()
    source = zc.create(root / "source.zarr")
    for path, chunks in (("g/a", (3, 4)), ("b", (9, 5))):
        source.create_array(path, shape=(9, 10), dtype="int32", chunks=chunks)[...] = _NUMBERS


def work(root: Path, variant: str, tell: Callable[[str], object]) -> None:
    """Copy it."""
    from zarrcore.cli.main import main

    with contextlib.redirect_stdout(io.StringIO()):
        status = main(_arguments(root, variant))
    assert not status
    tell("done")


def check(root: Path, variant: str, told: list[str], killed: bool) -> None:
    """The copy is unfinished or done; the same command finishes it; and nothing is left after a day."""
    target = _target(root, variant)
    begun, kinds = target.exists() and _is_there(target), set[str]()
    if begun:
        kinds = {found.what for found in findings_of(zc.open_hierarchy(target)) if found.severity == "error"}
        assert kinds <= {"unfinished-copy"}, kinds
    make_old(root)
    if not begun or kinds:
        again = run_inside(*_arguments(root, variant))
        assert again.status == 0, again.stderr
    copied = zc.open_hierarchy(target)
    for path in ("g/a", "b"):
        array = copied[path]
        assert isinstance(array, ArrayNode)
        assert np.array_equal(array[...], _NUMBERS)
    kept = [] if target.is_dir() else [target.name]
    assert not litter(target if target.is_dir() else target.parent, *kept), litter(target.parent)
    findings = [*findings_of(copied)]
    assert not findings, findings


def _is_there(target: Path) -> bool:
    """Whether anything of a copy can be seen."""
    with contextlib.suppress(zc.HierarchyNotFoundError), open_store(target) as store:
        zc.open_hierarchy(store)
        return True
    return False
