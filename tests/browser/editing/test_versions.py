"""Versions of repositories cannot be opened for changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core.stores.icechunk.repositories import write
from zarrbrowser.editing.opening import open_for_changes
from zarrbrowser.session.sources import SourceRequest, open_source
from zarrcore.errors import ReadOnlyError


@pytest.mark.parametrize("version", ["", "?branch=main", "?tag=v1"])
def test_a_version_of_a_repository_is_refused(tmp_path: Path, version: str) -> None:
    write(tmp_path / "repo")
    request = SourceRequest(f"{tmp_path / 'repo'}{version}")
    with pytest.raises(ReadOnlyError, match="cannot be written"):
        open_for_changes(request, open_source(request))
