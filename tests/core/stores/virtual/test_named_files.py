"""Files that a file names."""

from __future__ import annotations

import pytest

from zarrcore.errors import BrokenReferenceError
from zarrcore.stores import MemoryStore
from zarrcore.stores.virtual.named_files import NamedFiles

SOURCE = MemoryStore("memory://named", {"f/a.h5": b"a", "f/b.h5": b"b", "c.h5": b"c"})


def test_the_first_name_that_exists_is_taken() -> None:
    files = NamedFiles(SOURCE, "f/a.h5", "a.h5")
    assert files.place("b.h5") == (SOURCE, "f/b.h5")
    assert files.place("none.h5", "../c.h5") == (SOURCE, "c.h5")
    assert files.place("none.h5") is None
    files.close()


def test_an_address_is_not_a_name_and_is_told_only_if_no_other_name_exists() -> None:
    files = NamedFiles(SOURCE, "f/a.h5", "a.h5")
    with pytest.raises(
        BrokenReferenceError, match=r"a\.h5 names the file 'https://x/b\.h5', which is not a path"
    ):
        files.place("https://x/b.h5", "none.h5")
    assert files.place("https://x/b.h5", "b.h5") == (SOURCE, "f/b.h5")
