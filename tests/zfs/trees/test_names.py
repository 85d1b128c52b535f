"""Segments of keys as file names: reversible, legal, and unchanged if possible."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrfs.trees.names import file_name, segment

TRICKY = st.text(st.sampled_from(["%", "2", "5", "E", "0", ".", "\0", "a"]), max_size=12)
SEGMENTS = st.text(st.characters(blacklist_characters="/"), max_size=12) | TRICKY


@given(SEGMENTS)
def test_every_segment_round_trips(text: str) -> None:
    name = file_name(text)
    assert segment(name) == text
    assert name not in ("", ".", "..")
    assert "\0" not in name
    assert "/" not in name


@given(TRICKY, TRICKY)
def test_no_two_segments_share_a_name(one: str, other: str) -> None:
    assert (file_name(one) == file_name(other)) == (one == other)


@pytest.mark.parametrize(
    "name", ["zarr.json", "c", "0.0", ".zarray", "100%", "a%20b", "%41", "...", "é", "%2e", "2E"]
)
def test_ordinary_names_are_unchanged(name: str) -> None:
    assert file_name(name) == name
    assert segment(name) == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("", "%"),
        (".", "%2E"),
        ("..", "%2E%2E"),
        ("a\0b", "a%00b"),
        ("%", "%25"),
        ("%25", "%2525"),
        ("%2E", "%252E"),
        ("%2E%2E", "%252E%252E"),
        ("a%00b", "a%2500b"),
        ("%00\0", "%2500%00"),
    ],
)
def test_special_segments_are_escaped(text: str, name: str) -> None:
    assert file_name(text) == name
    assert segment(name) == text
