"""What all formats have in common: keys of documents and chunks, names of nodes, and what cannot be written."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest

from zarrcore.errors import UnsupportedError
from zarrcore.formats import FORMATS, Format, is_node_key
from zarrcore.metadata import GroupMetadata


@pytest.mark.parametrize("known", FORMATS, ids=str)
@pytest.mark.parametrize("path", ["/", "/foo", "/foo/bar"])
def test_documents_and_chunks_are_keys_of_nodes(known: Format, path: str) -> None:
    chunks = [known.default_chunk_key_encoding().encode(index) for index in ((), (0,), (12, 3))]
    keys = [*known.document_keys(path), *(known.chunk_prefix(path) + chunk for chunk in chunks)]
    assert all(map(known.is_node_key, keys)), keys
    assert all(map(is_node_key, keys))
    assert not known.consolidated_key or known.is_node_key(known.consolidated_key)


@pytest.mark.parametrize("known", FORMATS, ids=str)
@pytest.mark.parametrize(
    "key", ["notes.txt", "foo/README", "foo/.DS_Store", "foo/thumbnail.png", "foo/c0ffee"]
)
def test_other_keys_do_not_belong_to_nodes(known: Format, key: str) -> None:
    assert not known.is_node_key(key)


@pytest.mark.parametrize("known", FORMATS, ids=str)
def test_the_prefix_of_a_node_begins_the_keys_of_its_children(known: Format) -> None:
    for path in ("/", "/ä/b c"):
        child = f"{path.rstrip('/')}/x"
        for key in known.document_keys(child):
            assert key.startswith(known.prefix(path))
        assert known.chunk_prefix(child).startswith(known.chunk_prefix(path))


def test_names_of_dots_only_are_not_nodes() -> None:
    for name in ("foo", "a.b", "_a", ".hidden", "ä"):
        assert Format.V3.may_name_node(name)
        assert Format.V3.child_name(name, is_prefix=True) == name
        assert Format.V3.child_name(name, is_prefix=False) is None
    for name in ("", ".", "..", "..."):
        assert not Format.V3.may_name_node(name)
        assert Format.V3.child_name(name, is_prefix=True) is None
    for known in (Format.V2, Format.N5):
        assert [known.may_name_node(name) for name in ("...", "__a", ".", "..")] == [True, True, False, False]
        assert [known.may_name_new_node(name) for name in ("...", "__a")] == [False, True]


def test_a_name_that_version_3_reserves_is_read_but_not_made() -> None:
    assert Format.V3.may_name_node("__a")
    assert not Format.V3.may_name_new_node("__a")


def test_names_of_documents_are_not_given_to_nodes() -> None:
    documents = {
        "v3": ["zarr.json"],
        "v2": [".zarray", ".zgroup", ".zattrs", ".zmetadata"],
        "n5": ["attributes.json"],
    }
    for known in (Format.V3, Format.V2, Format.N5):
        for name in (name for names in documents.values() for name in names):
            assert known.may_name_node(name)
            assert known.may_name_new_node(name) == (name not in documents[known.name])


def test_a_format_that_is_read_only_refuses_to_write_anything() -> None:
    known, group = Format.V1, GroupMetadata()
    attempts: list[Callable[[], object]] = [
        lambda: known.encode(group),
        lambda: known.adapted(group),
        lambda: known.with_attributes((), {}),
        lambda: known.with_shape((), ()),
        lambda: known.split_documents({}),
    ]
    for attempt in attempts:
        with pytest.raises(UnsupportedError, match="format 'v1' can be read but not written"):
            attempt()
    assert known.unconsolidate(()) == {}
    assert known.consolidated_documents(lambda _: b"never asked", ()) is None


def test_a_format_is_itself_after_pickling_and_named_as_on_the_command_line() -> None:
    for known in FORMATS:
        assert pickle.loads(pickle.dumps(known)) == known
        assert (str(known), repr(known)) == (known.name, f"Format({known.name!r})")
    assert pickle.loads(pickle.dumps(Format.V2)) is Format.V2


def test_only_formats_with_implicit_groups_imply_a_parent() -> None:
    assert Format.V2.implies_parent((b"{}", None, None))
    assert not Format.V2.implies_parent((None, None, b"{}"))
    assert Format.V3.implies_parent((b'{"zarr_format": 3}',)) is Format.V3.implicit_groups
