"""Formats say which keys may be those of documents and chunks."""

from __future__ import annotations

import pytest

from zarrcore.formats import FORMATS, Format, is_node_key


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
