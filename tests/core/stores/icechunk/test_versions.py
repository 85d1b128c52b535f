"""Names of versions in URLs."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.errors import StoreError
from zarrcore.stores import StoreOptions
from zarrcore.stores.icechunk.versions import (
    Version,
    chosen_version,
    parse_authority,
    split_version,
    with_version,
)
from zarrcore.stores.pipelined_urls import parse_pipeline

_NAMES = st.text(st.characters(exclude_characters="/", exclude_categories=("Cs", "Cc")), min_size=1)


@given(kind=st.sampled_from(["branch", "tag"]), name=_NAMES)
def test_a_pipeline_names_every_branch_and_tag(kind: str, name: str) -> None:
    version = Version(kind, name)
    _, (adapter,) = parse_pipeline(f"repo|icechunk://{version.authority}/a/b")
    assert parse_authority(adapter.authority) == version
    assert adapter.path == "a/b"


@given(text=st.text())
def test_any_text_is_a_version_or_refused(text: str) -> None:
    version = None
    with contextlib.suppress(StoreError):
        version = parse_authority(text)
    assert version is None or version.kind in {"branch", "tag", "snapshot"}


@pytest.mark.parametrize("text", ["main", "branch.", "tag", "1cechnkrep0f1rstcmt0", "branches.main"])
def test_what_is_no_version_says_how_to_name_one(text: str) -> None:
    with pytest.raises(StoreError, match=r"icechunk://branch\.NAME/"):
        parse_authority(text)


def test_options_and_queries_choose_versions() -> None:
    version = Version("snapshot", "1CECHNKREP0F1RSTCMT0")
    assert parse_authority("@1CECHNKREP0F1RSTCMT0") == version
    assert chosen_version(StoreOptions()) is None
    assert chosen_version(with_version(StoreOptions(tag="v1"), version)) == version
    assert split_version("a?x=1") == ("a?x=1", None)
    assert split_version("a?branch=x%20y") == ("a", Version("branch", "x y"))
