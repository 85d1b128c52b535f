"""The options of a mount, as options and as ``-o`` words."""

from __future__ import annotations

import pytest

from tests.zfs.mount.command_line import parse
from zarrcore.cli.main import command_parser
from zarrcore.filetypes import SUFFIXES
from zarrfs.tree_arguments import SHOWABLE


def test_each_option_is_a_word_and_each_word_an_option() -> None:
    """Both forms are equivalent, with dashes or underscores."""
    taken = {
        "view": "keys", "format": "v2", "cache-size": "8MiB", "metadata-ttl": "forever", "threads": "4", "log-file": "a",
        "log-level": "info", "env-file": "e", "fsname": "x", "uid": "root", "gid": "0", "umask": "027", "region": "r",
        "endpoint-url": "http://host:1", "profile": "p", "header": "A: b", "ca-bundle": "c", "timeout": "3",
        "retries": "1", "cache-dir": "d", "cache-dir-size": "1g", "spill-size": "1g",
    }  # fmt: skip
    flags = ["foreground", "ro", "allow_other", "default_permissions", "auto_unmount", "anonymous",
             "requester-pays", "follow-links", "treat-403-as-missing", "no-metadata-prefetch"]  # fmt: skip
    long = parse(*(f"--{name}={value}" for name, value in taken.items()), *(f"--{name}" for name in flags))
    words = ",".join([*(f"{name}={value}" for name, value in taken.items()), *flags])
    assert parse("-o", words) == long
    assert parse("-o", words.replace("-", "_")) == long
    chosen = [
        parse().metadata_prefetch,
        long.metadata_prefetch,
        parse("-o", "metadata_prefetch").metadata_prefetch,
    ]
    assert chosen == [None, False, True]
    assert (long.uid, long.gid, long.umask, long.cache_size) == (0, 0, 0o27, 8 << 20)


@pytest.mark.parametrize("text", ["512M", "512MB", "512MiB", "1.5g", "4096"])
def test_a_size_is_the_same_wherever_it_is_written(text: str) -> None:
    expected = command_parser("copy").parse_args(["copy", "--memory", text, "a", "b"]).memory
    mounted = parse("--cache-size", text, "--spill-size", text, "--cache-dir-size", text)
    assert (mounted.cache_size, mounted.spill_size, mounted.cache_dir_size) == (expected,) * 3


def test_file_types() -> None:
    assert set(SHOWABLE) == {*SUFFIXES, "h5", "nc"}
    assert parse().show == ("raw", "npy", "h5")
    assert parse("--show", "").show == ()
    assert parse("-o", 'show="npy,tiff",ro').show == ("npy", "tiff")


def test_sloppy_ignores_unknown_words() -> None:
    assert parse("-o", "sloppy,nonsense,nonsense=1,ro").ro
