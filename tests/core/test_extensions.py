"""Objects of other packages, by name: those that importlib.metadata finds."""

from __future__ import annotations

import importlib.metadata
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.other_package import forget_extensions
from zarrcore import extensions
from zarrcore.codecs.registry import codec_class
from zarrcore.errors import UnsupportedError

GROUP = "zarrscope.examples"


@pytest.fixture(autouse=True)
def nothing_is_known() -> Iterator[None]:
    forget_extensions()
    yield
    forget_extensions()


def written(folder: Path, name: str, points: str) -> Path:
    """A directory with the metadata of an installed package."""
    (folder / name).mkdir(parents=True)
    title = name.partition("-")[0]
    (folder / name / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {title}\nVersion: 1.0\n")
    (folder / name / "PKG-INFO").write_text(f"Metadata-Version: 2.1\nName: {title}\nVersion: 1.0\n")
    (folder / name / "entry_points.txt").write_text(points)
    return folder


def found() -> list[tuple[str, str]]:
    forget_extensions()
    return sorted((point.name, point.value) for point in extensions.entry_points(GROUP))


def expected() -> list[tuple[str, str]]:
    importlib.invalidate_caches()
    return sorted((point.name, point.value) for point in importlib.metadata.entry_points(group=GROUP))


@pytest.mark.parametrize("group", ["commands", "diagnoses", "codecs", "nothing"])
def test_the_installed_packages_are_those_of_importlib(group: str) -> None:
    found = importlib.metadata.entry_points(group=f"zarrscope.{group}")
    assert {*extensions.entry_points(f"zarrscope.{group}")} == {(point.name, point.value) for point in found}


def test_every_form_of_metadata_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    points = "[console_scripts]\na = m:a\n\n[zarrscope.examples]\n{0} = m:{0}\n"
    written(tmp_path / "one", "Wheel_1-1.0.dist-info", points.format("wheel"))
    written(tmp_path / "one", "plain-1.0.dist-info", "[console_scripts]\na = m:a\n")
    written(tmp_path / "one", "old-1.0-py3.11.egg-info", points.format("old"))
    written(tmp_path / "two", "bare.egg-info", points.format("bare"))
    written(tmp_path / "two", "broken-1.dist-info", "").joinpath(
        "broken-1.dist-info/entry_points.txt"
    ).write_bytes(b"\xff")
    (tmp_path / "two" / "file.egg-info").write_text("Name: file\n")
    written(tmp_path / "Egg_dir-1.0-py3.11.egg", "EGG-INFO", points.format("egg"))
    with zipfile.ZipFile(tmp_path / "three.zip", "w") as archive:
        archive.writestr(
            "packed-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: packed\nVersion: 1.0\n"
        )
        archive.writestr("packed-1.0.dist-info/entry_points.txt", points.format("packed"))
    for name in ("three.zip", "two", "one", "absent", "Egg_dir-1.0-py3.11.egg"):
        monkeypatch.syspath_prepend(tmp_path / name)
    names = [name for name, _ in found()]
    assert names == ["bare", "egg", "old", "packed", "wheel"]
    (tmp_path / "two" / "broken-1.dist-info" / "entry_points.txt").write_text("")  # importlib stops at it
    assert found() == expected()


def test_broken_metadata_in_an_archive_hides_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name, points in (("broken", b"\xff"), ("good", b"[zarrscope.examples]\ngood = m:good\n")):
            archive.writestr(f"{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\n")
            archive.writestr(f"{name}-1.0.dist-info/entry_points.txt", points)
    monkeypatch.syspath_prepend(tmp_path / "a.zip")
    assert found() == [("good", "m:good")]


def test_the_backport_of_importlib_metadata_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """It finds what `found` finds itself, but takes as long as importlib does."""

    class Finder:
        def find_spec(self, *_words: Any) -> None:
            return None

        def find_distributions(self, _context: Any) -> list[importlib.metadata.Distribution]:
            raise AssertionError

    Finder.__module__ = "importlib_metadata"
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    assert found() == []


def test_the_first_package_of_a_name_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "first", "some.thing-2.0.dist-info", "[zarrscope.examples]\nnew = m:new\n")
    written(tmp_path / "second", "Some_Thing-1.0.dist-info", "[zarrscope.examples]\nold = m:old\n")
    written(tmp_path / "first", "gone-2.0.dist-info", "")
    written(tmp_path / "second", "gone-1.0.dist-info", "[zarrscope.examples]\ngone = m:gone\n")
    for name in ("second", "first"):
        monkeypatch.syspath_prepend(tmp_path / name)
    assert found() == [("new", "m:new")] == expected()


def test_packages_of_other_finders_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = written(tmp_path, "frozen-1.0.dist-info", "[zarrscope.examples]\nfrozen = m:frozen\n")

    class Finder:
        """As programs have it that keep their packages in one file."""

        def find_spec(self, *_words: Any) -> None:
            return None

        def find_distributions(self, _context: Any) -> list[importlib.metadata.Distribution]:
            return [importlib.metadata.Distribution.at(folder / "frozen-1.0.dist-info")]

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    assert found() == [("frozen", "m:frozen")] == expected()


def test_unknown_names_search_the_installed_packages_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searches = []
    real = extensions._installed

    def counted() -> Any:
        searches.append("search")
        return real()

    monkeypatch.setattr(extensions, "_installed", counted)
    for number in range(10):
        with pytest.raises(UnsupportedError, match="is not supported"):
            codec_class(f"unknown-{number}")
    assert len(searches) == 1
