"""The options of ``zarrscope serve``: values that are refused, and what the message says."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from zarrfs.http.options import ServeOptions, Token, allowed_origin, parse_token, port_number


@pytest.mark.parametrize(
    "text",
    ["viewer.example", "ftp://viewer.example", "https://", "https://viewer.example/path", "https://me@viewer.example",
     "https://viewer.example?q", "https://viewer.example#f", "https://viewer.example:", "https://[", "null", "",
     "https://viewer.example:x"],
)  # fmt: skip
def test_what_is_not_an_origin_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="expected an origin such as"):
        allowed_origin(text)


def test_an_origin_is_written_as_browsers_write_it() -> None:
    assert allowed_origin("HTTP://Viewer.Example:8080") == "http://viewer.example:8080"
    assert allowed_origin("neuroglancer") == "https://neuroglancer-demo.appspot.com"


def test_a_token_is_made_given_or_read_from_a_file(tmp_path: Path) -> None:
    first, second = parse_token("auto"), parse_token("auto")
    assert first.is_made
    assert first != second
    (tmp_path / "token").write_text(" abc\n")
    assert parse_token(f"@{tmp_path}/token") == Token("abc")
    assert "abc" not in repr(ServeOptions(token=Token("abc")))


def test_a_token_that_cannot_be_used_is_refused_without_quoting_it(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xffsecret")
    (tmp_path / "empty").write_text("\n")
    for text in (
        "",
        "secret\nline",
        "secret word",
        "sécret",
        f"@{tmp_path}/none",
        f"@{tmp_path}/binary",
        f"@{tmp_path}/empty",
    ):
        with pytest.raises(argparse.ArgumentTypeError) as caught:
            parse_token(text)
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize("text", ["-1", "65536", "http"])
def test_a_port_is_a_number_of_16_bits(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="expected a number from 0 to 65535"):
        port_number(text)
