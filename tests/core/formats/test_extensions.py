"""Formats that other packages bring."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

import zarrcore
from tests.other_package import forget_extensions, other_package
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
def installed(tmp_path: Path) -> Iterator[Path]:
    names = "example-notes = example_notes:NoteFormat\nv3 = example_notes:NoteFormat\n"
    with other_package(
        tmp_path, {"example_notes.py": MODULE}, "[zarrscope.formats]\n" + names
    ) as entry_points:
        yield entry_points


def notes() -> MemoryStore:
    store = MemoryStore()
    store.set("note.txt", b"hello")
    store.set("a/note.txt", b"world")
    return store


@pytest.mark.usefixtures("installed")
def test_a_format_of_another_package() -> None:
    hierarchy = zarrcore.open_hierarchy(notes())
    assert hierarchy.format.name == "example-notes"
    assert [(node.path, node.attributes) for node in hierarchy.walk()] == [
        ("/", {"text": "hello"}),
        ("/a", {"text": "world"}),
    ]
    assert pickle.loads(pickle.dumps(hierarchy.format)) is hierarchy.format
    assert format_named("example-notes") is hierarchy.format
    assert zarrcore.open_hierarchy(notes(), format="example-notes")["a"].attributes == {"text": "world"}


@pytest.mark.usefixtures("installed")
def test_formats_of_zarrcore_come_first() -> None:
    assert [known.name for known in known_formats()] == [*map(str, FORMATS), "example-notes"]
    assert format_named("v3") is Format.V3
    store = notes()
    store.set(".zgroup", b'{"zarr_format": 2}')
    assert zarrcore.open_hierarchy(store).format is Format.V2
    with pytest.raises(UnsupportedError, match=r"known are v3, v2, n5, draft-.*, example-notes"):
        format_named("v9")


def test_an_instance_is_accepted_and_other_objects_are_refused(installed: Path) -> None:
    installed.write_text("[zarrscope.formats]\nexample-notes = example_notes:instance\n")
    assert format_named("example-notes").title == "Notes"
    forget_extensions()
    installed.write_text("[zarrscope.formats]\nexample-notes = math:pi\n")
    with pytest.raises(UnsupportedError, match=r"is registered with 3\.14.*, which is not a format"):
        format_named("example-notes")


def test_without_the_package() -> None:
    assert known_formats() == FORMATS
    with pytest.raises(HierarchyNotFoundError):
        zarrcore.open_hierarchy(notes())
