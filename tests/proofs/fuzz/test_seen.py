"""Only the process that fuzzes leaves out what has passed."""

from __future__ import annotations

import pytest

from tests.proofs.fuzz import seen
from tests.proofs.fuzz.seen import has_passed, passed, remembering


def test_nothing_is_remembered_outside_of_fuzzing() -> None:
    passed("a", "b")
    assert not has_passed("a", "b")


def test_what_has_passed_is_known_until_the_end() -> None:
    with remembering():
        assert not has_passed("a", "b")
        passed("a", "b")
        assert has_passed("a", "b")
        assert not has_passed("ab")
        assert not has_passed("a", "\ud800")
    assert not has_passed("a", "b")


def test_memory_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seen, "_MOST", 2)
    with remembering():
        for name in "abc":
            passed(name)
        assert [has_passed(name) for name in "abc"] == [False, False, True]
