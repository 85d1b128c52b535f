"""Valid and invalid keys and prefixes."""

from __future__ import annotations

import pytest

from zarrcore.errors import InvalidKeyError
from zarrcore.stores.keys import check_key, check_path_like_key, check_path_like_prefix, check_prefix


@pytest.mark.parametrize(
    "key", ["a", "a/b", ".zarray", "a/.b", "ä/日本", "a b", "..a", "a..", "a/...b", "c/0/1"]
)
def test_keys_that_are_file_names_are_accepted(key: str) -> None:
    check_key(key, "memory://")
    check_path_like_key(key, "memory://")
    check_path_like_prefix(f"{key}/", "memory://")


@pytest.mark.parametrize("key", ["", "/a", "a/", "a//b", ".", "..", "a/./b", "a/../b", "a\0", "a/\ud800"])
def test_keys_that_no_file_can_have_are_refused_with_their_fields(key: str) -> None:
    with pytest.raises(InvalidKeyError) as caught:
        check_path_like_key(key, "memory://")
    assert (caught.value.key, caught.value.url) == (key, "memory://")


@pytest.mark.parametrize("key", ["", "a/"])
def test_an_invalid_key_is_refused_for_every_store(key: str) -> None:
    with pytest.raises(InvalidKeyError):
        check_key(key, "memory://")


@pytest.mark.parametrize("prefix", ["a", "a/b"])
def test_a_prefix_ends_in_a_slash(prefix: str) -> None:
    with pytest.raises(InvalidKeyError):
        check_prefix(prefix, "memory://")
    check_prefix(f"{prefix}/", "memory://")
    check_prefix("", "memory://")
    check_path_like_prefix("", "memory://")


@pytest.mark.parametrize("prefix", ["a//", "../", "a/./"])
def test_a_prefix_has_no_segment_that_no_file_can_have(prefix: str) -> None:
    with pytest.raises(InvalidKeyError):
        check_path_like_prefix(prefix, "memory://")
