"""Keys of documents and chunks in the drafts with an entry point document."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zarrcore.formats.drafts.keys import (
    META_AND_DATA,
    META_ROOT_AND_DATA_ROOT,
    WITHOUT_ROOT,
    DraftKeys,
)

ALL = [META_AND_DATA, META_ROOT_AND_DATA_ROOT, WITHOUT_ROOT]
PATHS = st.lists(st.text("ab.{}é%", min_size=1), max_size=3).map(lambda parts: "/" + "/".join(parts))


@pytest.mark.parametrize(
    ("keys", "root", "node", "chunks"),
    [
        (META_AND_DATA, "meta/root.array.json", "meta/root/a/b.array.json", ("data/", "data/a/b/")),
        (
            META_ROOT_AND_DATA_ROOT,
            "meta/root.array.json",
            "meta/root/a/b.array.json",
            ("data/root/", "data/root/a/b/"),
        ),
        (WITHOUT_ROOT, "meta/array.json", "meta/a/b.array.json", ("data/", "data/a/b/")),
    ],
)
def test_documents_and_chunks_have_their_keys(
    keys: DraftKeys, root: str, node: str, chunks: tuple[str, str]
) -> None:
    assert keys.document_keys("/", ".json") == (root, root.replace("array", "group"))
    assert keys.document_keys("/a/b", ".json") == (node, node.replace("array", "group"))
    assert (keys.chunk_prefix("/"), keys.chunk_prefix("/a/b")) == chunks


@pytest.mark.parametrize("keys", ALL)
@given(path=PATHS, suffix=st.sampled_from(["", ".json", ".cbor"]))
@settings(max_examples=30)
def test_the_path_of_a_document_is_found_again(keys: DraftKeys, path: str, suffix: str) -> None:
    for key in keys.document_keys(path, suffix):
        assert keys.path_of(key, suffix) == path
        above = path.rpartition("/")[0] or "/"
        assert path == "/" or key.startswith(keys.prefix(above))


@pytest.mark.parametrize("keys", ALL)
def test_other_keys_are_not_documents(keys: DraftKeys) -> None:
    above = keys.prefix("/")
    others = (
        "",
        "zarr.json",
        f"{above}a.json",
        f"{above}a.array.cbor",
        f"{above}.array.json",
        "data/a.array.json",
    )
    assert [keys.path_of(key, ".json") for key in others] == [None] * len(others)
