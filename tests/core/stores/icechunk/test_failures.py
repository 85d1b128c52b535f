"""Errors of icechunk as errors of zarrcore."""

from __future__ import annotations

from pathlib import Path

import icechunk
import pytest

from tests.core.stores.icechunk.repositories import write
from zarrcore.errors import BrokenReferenceError, ReadOnlyError, StoreError, StoreNotFoundError
from zarrcore.stores.icechunk.failures import kind_of, translated, translating


class _Failure(Exception):
    def __init__(self, kind: str) -> None:
        super().__init__(f"reason\n\ncontext:\n  0: {kind}")
        self.kind = kind


@pytest.mark.parametrize(
    ("kind", "expected", "words"),
    [
        ("unauthorized-virtual-chunk-container", BrokenReferenceError, "--allow-targets PREFIX allows it"),
        ("virtual-chunk-fetch", BrokenReferenceError, "virtual chunk that cannot be read: reason"),
        ("repository-not-found", StoreNotFoundError, "place holds no Icechunk repository"),
        ("read-only-session", ReadOnlyError, "reason"),
        ("object-not-found", StoreError, "a part of it was deleted: reason"),
        ("object-store", StoreError, "a/b in place: reason"),
    ],
)
def test_each_kind_is_one_sentence(kind: str, expected: type[Exception], words: str) -> None:
    error = translated(_Failure(kind), "place", "a/b")
    assert type(error) is expected
    assert words in str(error)
    assert "context" not in str(error)


def test_errors_of_zarrcore_pass_unchanged() -> None:
    error = StoreError("mine")
    with pytest.raises(StoreError) as raised, translating("place"):
        raise error
    assert raised.value is error


def test_a_panic_of_the_library_is_an_error(tmp_path: Path) -> None:
    written = write(tmp_path / "repo")
    store = icechunk.Repository.open(icechunk.local_filesystem_storage(str(written.path))).readonly_session(
        "main"
    )
    with pytest.raises(Exception, match="ref not found") as raised:
        icechunk.Repository.open(icechunk.local_filesystem_storage(str(written.path))).lookup_branch("no")
    assert kind_of(raised.value) == "ref-not-found"
    assert kind_of(KeyError("x")) == ""
    assert store.read_only
    panic = type("RustPanic", (Exception,), {})("unknown error")
    assert "the package icechunk failed on it" in str(translated(panic, "place"))
