"""Opening files strictly beneath a directory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.core.stores.local.test_links import make_links
from zarrcore.errors import StoreError
from zarrcore.stores import LocalStore
from zarrcore.stores.local import confined_paths as beneath
from zarrcore.stores.local import store as local_module


@pytest.mark.parametrize("opener", [beneath._open_checked, beneath._open_by_kernel])
def test_without_proc_no_key_counts_as_absent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opener: Callable[[int, str, int], int]
) -> None:
    def readlink(path: str) -> str:
        raise FileNotFoundError(2, "No such file or directory", path)

    monkeypatch.setattr(local_module, "open_beneath", opener)
    store = LocalStore(make_links(tmp_path))
    monkeypatch.setattr(beneath.os, "readlink", readlink)
    for read in (store.get, store.stat):
        with pytest.raises(StoreError, match="/proc is not mounted"):
            read("absolute/x")
