"""Files without any bytes, such as a failed download leaves."""

from __future__ import annotations

from pathlib import Path

import pytest

import zarrcore
from zarrcore.errors import HierarchyNotFoundError, StoreError
from zarrcore.stores.kinds import file_kinds


@pytest.mark.parametrize("suffix", sorted({each for kind in file_kinds() for each in kind.suffixes}))
def test_an_empty_file_is_said_to_be_empty(tmp_path: Path, suffix: str) -> None:
    (tmp_path / f"a{suffix}").touch()
    with pytest.raises((StoreError, HierarchyNotFoundError), match=r"a\..*: the file is empty$"):
        zarrcore.open_hierarchy(tmp_path / f"a{suffix}")
