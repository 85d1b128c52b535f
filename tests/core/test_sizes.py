"""Sizes as people write and read them, against head(1)."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

import zarrcore
from tests.command import run_inside
from zarrcore.sizes import format_bytes, parse_size


@pytest.mark.parametrize("text", ["0", "17", "3K", "3KiB", "3kB", "3KB", "2M", "2MiB", "2MB"])
def test_a_size_means_the_same_as_in_other_programs(text: str) -> None:
    done = subprocess.run(["head", "-c", text, "/dev/zero"], capture_output=True, check=True)
    assert parse_size(text) == len(done.stdout)


@pytest.mark.parametrize(
    ("text", "nbytes"),
    [
        ("3k", 3 << 10),
        ("512M", 512 << 20),
        ("512m", 512 << 20),
        ("512mb", 512 * 10**6),
        ("2G", 2 << 30),
        ("2 GiB", 2 << 30),
        ("2GB", 2 * 10**9),
        ("1T", 1 << 40),
        ("1TB", 10**12),
        ("1.5G", 3 << 29),
        ("100B", 100),
        ("9007199254740993", 2**53 + 1),
    ],
)
def test_all_units(text: str, nbytes: int) -> None:
    assert parse_size(text) == nbytes


@pytest.mark.parametrize("text", ["", "much", "-1", "1P", "1 2", "1.M", "M", "0x10", "1iB", "1e3", "∞", "٣"])
def test_invalid_sizes_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected a size such as 512M; K, M, G, T are powers of 1024"):
        parse_size(text)


def test_shown_sizes_can_be_parsed() -> None:
    for nbytes in (1, 999, 1000, 1024, 1 << 20, 3 << 29, 5 << 40):
        shown = re.sub(" bytes?$", "", format_bytes(nbytes)).replace(",", "")
        assert parse_size(shown) == nbytes
    assert format_bytes(1 << 80) == "2⁷⁰ bytes and more"


def test_all_options_parse_sizes_alike() -> None:
    """Nobody else has units of his own."""
    core = Path(zarrcore.__file__).parent
    others = [core, *(core.parents[1] / name for name in ("zfs/zarrfs", "browser/zarrbrowser"))]
    places = [place for folder in others for place in folder.rglob("*.py") if place.name != "sizes.py"]
    assert len(places) > 300
    assert [place.name for place in places if '"KiB"' in place.read_text()] == []


def test_help_explains_units() -> None:
    told = " ".join(run_inside("copy", "--help").text.split())
    assert "K, M, G, T are powers of 1024" in told
