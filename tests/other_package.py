"""Another distribution in the form that an installer leaves, so that tests need not install one."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from zarrcore import extensions
from zarrcore.codecs import registry as codecs
from zarrcore.formats import interface as formats
from zarrcore.metadata.data_type import registry as data_types
from zarrcore.stores import kinds

_CACHES = (
    extensions.extension_names,
    extensions.entry_points,
    extensions._texts,
    formats._extension,
    kinds.known_kinds,
    kinds.listed_suffixes,
    codecs._load,
    data_types._load,
)


@contextmanager
def other_package(folder: Path, modules: Mapping[str, str], entry_points: str) -> Iterator[Path]:
    """Install a package of these modules (texts by file name) and entry points for the block; yields its metadata file."""
    for name, text in modules.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    information = folder / "example-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: example\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(entry_points)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        importlib.invalidate_caches()
        forget_extensions()
        yield information / "entry_points.txt"
    for name in modules:
        top = name.removesuffix(".py").partition("/")[0]
        for loaded in [loaded for loaded in sys.modules if loaded.partition(".")[0] == top]:
            del sys.modules[loaded]
    forget_extensions()


def forget_extensions() -> None:
    """Let the next lookup find the packages that are installed now."""
    for cached in _CACHES:
        cached.cache_clear()
