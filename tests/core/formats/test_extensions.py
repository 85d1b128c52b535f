"""Formats that other packages bring."""

from __future__ import annotations

import importlib
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import zarrcore
from zarrcore import extensions, formats
from zarrcore.errors import HierarchyNotFoundError, UnsupportedError
from zarrcore.formats import FORMATS, Format, format_named, known_formats
from zarrcore.stores import MemoryStore

MODULE = '''
from zarrcore.formats import Format
from zarrcore.metadata import GroupMetadata


class NoteFormat(Format):
    """A group is a file ``note.txt``, whose text is its only attribute."""

    name = "example-notes"
    title = "Notes"
    specification = "https://example.org/notes"
    implicit_groups = False

    def document_keys(self, path):
        return (self.prefix(path) + "note.txt",)

    def claims(self, documents):
        return documents[0] is not None

    def parse(self, documents):
        return None if documents[0] is None else GroupMetadata({"text": documents[0].decode()})

    def stored_documents(self, documents):
        return {} if documents[0] is None else {"text": documents[0].decode()}


instance = NoteFormat()
'''


@pytest.fixture
def other_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A distribution of somebody else's, as an installer leaves it."""
    (tmp_path / "example_notes.py").write_text(MODULE)
    information = tmp_path / "example_notes-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: example-notes\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(
        "[zarrscope.formats]\nexample-notes = example_notes:NoteFormat\nv3 = example_notes:NoteFormat\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    for cached in (formats._extension, extensions.extension_names):
        cached.cache_clear()
    yield
    sys.modules.pop("example_notes", None)
    for cached in (formats._extension, extensions.extension_names):
        cached.cache_clear()


def notes() -> MemoryStore:
    store = MemoryStore()
    store.set("note.txt", b"hello")
    store.set("a/note.txt", b"world")
    return store


@pytest.mark.usefixtures("other_package")
def test_a_format_of_another_package() -> None:
    hierarchy = zarrcore.open(notes())
    assert hierarchy.format.name == "example-notes"
    assert [(node.path, node.attributes) for node in hierarchy.walk()] == [
        ("/", {"text": "hello"}),
        ("/a", {"text": "world"}),
    ]
    assert pickle.loads(pickle.dumps(hierarchy.format)) is hierarchy.format
    assert format_named("example-notes") is hierarchy.format
    assert zarrcore.open(notes(), format="example-notes")["a"].attributes == {"text": "world"}


@pytest.mark.usefixtures("other_package")
def test_ours_come_first() -> None:
    assert [known.name for known in known_formats()] == [*map(str, FORMATS), "example-notes"]
    assert format_named("v3") is Format.V3
    store = notes()
    store.set(".zgroup", b'{"zarr_format": 2}')
    assert zarrcore.open(store).format is Format.V2
    with pytest.raises(UnsupportedError, match=r"known are v3, v2, n5, draft-.*, example-notes"):
        format_named("v9")


@pytest.mark.usefixtures("other_package")
def test_an_instance_does_as_well_and_anything_else_is_refused(tmp_path: Path) -> None:
    entries = tmp_path / "example_notes-1.0.dist-info" / "entry_points.txt"
    entries.write_text("[zarrscope.formats]\nexample-notes = example_notes:instance\n")
    assert format_named("example-notes").title == "Notes"
    formats._extension.cache_clear()
    entries.write_text("[zarrscope.formats]\nexample-notes = math:pi\n")
    with pytest.raises(UnsupportedError, match=r"is registered with 3\.14.*, which is no format"):
        format_named("example-notes")


def test_without_the_package() -> None:
    assert known_formats() == FORMATS
    with pytest.raises(HierarchyNotFoundError):
        zarrcore.open(notes())
