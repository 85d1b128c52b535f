"""``--chunks``, ``--shards`` and ``--codec``."""

from __future__ import annotations

import argparse
from typing import Any

import pytest

from zarrcore.cli.changing.layout_arguments import add_layout_arguments, named_codecs
from zarrcore.errors import MetadataError


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_layout_arguments(parser, "unchanged", "unchanged", "unchanged")
    return parser.parse_args(words)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("8,-1", (8, -1)), ("(8, 16)", (8, 16)), ("[4]", (4,))],
)
def test_lengths(text: str, expected: tuple[int, ...]) -> None:
    assert parsed("--chunks", text).chunks == expected
    assert parsed("--shards", text).shards == expected


def test_no_shards() -> None:
    assert parsed("--shards", "none").shards == ()
    assert parsed().shards is parsed().chunks is parsed().codec is named_codecs(None) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("none", []),
        ("gzip", [{"name": "gzip", "configuration": {}}]),
        ("zstd:5", [{"name": "zstd", "configuration": {"level": 5}}]),
        ("zlib:1", [{"name": "numcodecs.zlib", "configuration": {"level": 1}}]),
        ('{"name": "crc32c"}', [{"name": "crc32c"}]),
        ('["crc32c"]', ["crc32c"]),
    ],
)
def test_codecs(text: str, expected: list[Any]) -> None:
    assert parsed("--codec", text).codec == expected
    named = named_codecs(expected)
    assert named is not None
    assert len(named) == len(expected)


@pytest.mark.parametrize(
    "words",
    [("--chunks", "0"), ("--chunks", "a"), ("--shards", "-2"), ("--codec", "zstd:x"), ("--codec", "[{")],
)
def test_what_is_not_a_layout_is_refused(words: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parsed(*words)
    with pytest.raises(MetadataError):
        named_codecs([5])
