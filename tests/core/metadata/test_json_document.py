"""JSON documents: bounds, invalid text, bare NaN."""

import json
import re

import pytest

from zarrcore.errors import MetadataError
from zarrcore.metadata.json_document import format_json, parse_json_object


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"[1]", "expected a JSON object, found an array of 1"),
        (b"{", "expected a JSON object"),
        (b"\xff\xfe", "UTF-8"),
        (b'{"a": 1, "a": 2}', "occurs twice"),
        (b'{"a":' + b"[" * 200 + b"]" * 200 + b"}", "deeper than 100"),
    ],
)
def test_invalid_json_is_refused(text: bytes, words: str) -> None:
    with pytest.raises(MetadataError, match=words):
        parse_json_object(text)


def test_a_document_of_more_than_64_mib_is_refused() -> None:
    with pytest.raises(MetadataError, match="exceeds the 64 MiB"):
        parse_json_object(b'{"a":"' + b"x" * (65 << 20) + b'"}')


def test_brackets_within_strings_do_not_count_as_depth() -> None:
    assert parse_json_object(json.dumps({"a": "[" * 500 + '"' + "{" * 500}).encode())["a"].startswith("[[")


def test_bare_nan_is_read_and_never_written() -> None:
    document = parse_json_object(b'{"a": NaN, "b": [Infinity, -Infinity]}')
    assert json.loads(format_json(document)) == {"a": "NaN", "b": ["Infinity", "-Infinity"]}


@pytest.mark.parametrize(
    ("page", "shown"),
    [
        (b"\n<!DOCTYPE html><html><title>Hotel\n Wi-Fi</title>", "found a web page ('Hotel Wi-Fi'), perhaps"),
        (b"<HTML>" + b"<title>" + b"x" * 150 + b"</title>", "found a web page, perhaps one to log in"),
        (b"<html><title>Acc\xe8s</title>", "found a web page ('Acc\ufffds'), perhaps"),
        ("\ufeff<html><title>Accès</title>".encode(), "found a web page ('Accès'), perhaps"),
        (b"<html><script>" + b"[" * 1000, "found a web page, perhaps"),
    ],
)
def test_a_web_page_in_place_of_a_document_is_named(page: bytes, shown: str) -> None:
    with pytest.raises(MetadataError, match=re.escape(shown)) as caught:
        parse_json_object(page)
    assert isinstance(caught.value.__cause__, ValueError), "as for other text that is not JSON"
