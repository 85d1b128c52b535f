"""Consolidated metadata are written again after changes, if there were some."""

from __future__ import annotations

from pathlib import Path

import pytest

import zarrcore as zc
from zarrcore.errors import StoreFullError
from zarrcore.hierarchy import kept_consolidated


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("was_consolidated", [False, True])
def test_they_are_written_again_also_after_a_failure(
    tmp_path: Path, was_consolidated: bool, fails: bool
) -> None:
    with zc.create(tmp_path / "a", "v2") as hierarchy:
        if was_consolidated:
            hierarchy.consolidate()

        def change() -> None:
            with kept_consolidated(hierarchy):
                hierarchy.create_group("/new")
                assert not (tmp_path / "a/.zmetadata").exists()
                if fails:
                    raise KeyboardInterrupt

        if fails:
            with pytest.raises(KeyboardInterrupt):
                change()
        else:
            change()
    assert (tmp_path / "a/.zmetadata").exists() == was_consolidated
    if was_consolidated:
        assert "new/.zgroup" in (tmp_path / "a/.zmetadata").read_text()


def test_an_erased_root_has_none(tmp_path: Path) -> None:
    with zc.create(tmp_path / "a") as hierarchy:
        hierarchy.consolidate()
        with kept_consolidated(hierarchy):
            hierarchy.erase("/")
    assert not any((tmp_path / "a").iterdir())


def test_the_error_of_the_change_is_not_hidden_by_a_second_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise StoreFullError("the disk is full")

    with zc.create(tmp_path / "a", "v2") as hierarchy:
        hierarchy.consolidate()
        monkeypatch.setattr(hierarchy, "consolidate", refuse)

        def change() -> None:
            with kept_consolidated(hierarchy):
                hierarchy.create_group("/b")
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            change()
        assert not (tmp_path / "a/.zmetadata").exists()
        monkeypatch.undo()
        hierarchy.consolidate()
        monkeypatch.setattr(hierarchy, "consolidate", refuse)
        with pytest.raises(StoreFullError), kept_consolidated(hierarchy):
            hierarchy.create_group("/c")
