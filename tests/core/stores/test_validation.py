"""Values that no store can be opened with."""

from __future__ import annotations

import pytest

from zarrcore.errors import StoreError
from zarrcore.stores.validation import (
    check_address,
    check_bucket,
    check_endpoint,
    check_place,
    check_sendable,
    is_encodable,
    parse_header,
    parse_number,
)


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_a_path_needs_a_name_that_the_system_allows(text: str) -> None:
    assert not is_encodable(text)
    for place in (text, ""):
        with pytest.raises(StoreError):
            check_place(place)
    check_place("a b/ü")


@pytest.mark.parametrize("url", ["http://host", "https://host:443/x", "http://[::1]:80", "HTTP://host"])
def test_addresses_of_servers_are_accepted(url: str) -> None:
    assert check_address(url).hostname in {"host", "::1"}
    check_endpoint(url)


@pytest.mark.parametrize(
    "url", ["host:80", "http://", "http://host:0", "http://host:99999", "ftp://host", "http://a b"]
)
def test_addresses_without_a_valid_server_are_refused(url: str) -> None:
    with pytest.raises(StoreError):
        check_address(url)
    with pytest.raises(StoreError, match="the endpoint"):
        check_endpoint(url)


def test_an_endpoint_is_optional() -> None:
    check_endpoint(None)
    check_endpoint("")


@pytest.mark.parametrize(
    ("name", "fits"), [("bucket", True), ("a.b-c_d$", True), ("..", False), ("a b", False), ("", False)]
)
def test_names_of_buckets_are_checked(name: str, fits: bool) -> None:
    if fits:
        check_bucket(name)
    else:
        with pytest.raises(StoreError):
            check_bucket(name)


def test_keys_with_a_line_break_are_not_quoted() -> None:
    check_sendable(None, "a key")
    with pytest.raises(StoreError, match="a key has characters") as caught:
        check_sendable("geheim\n", "a key")
    assert "geheim" not in str(caught.value)


def test_headers_and_numbers_are_parsed() -> None:
    assert parse_header("A : b: c ") == ("A", "b: c")
    assert parse_number(float)("2.5") == 2.5
    with pytest.raises(ValueError, match="'soon' is not a number"):
        parse_number(float)("soon")
