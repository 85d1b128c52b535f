"""``-o`` of a mount, sizes, and times: refused in one line by argparse, or the options that the words spell."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable
from functools import cache

from zarrcore.sizes import format_bytes, parse_size
from zarrfs.mount.option_values import permissions
from zarrfs.mount.option_words import OptionWords
from zarrfs.tree_arguments import file_types, thread_count, time_to_live

WORDS = (
    *(
        "size=",
        "ttl=forever",
        "ro",
        "rw",
        "nofail",
        "_netdev",
        "x-systemd.automount",
        "sloppy",
        "remount",
        "comment=a",
        "header=",
        "a: b",
    ),
    *(
        ",",
        "\\,",
        '"',
        "=",
        " ",
        "512M",
        "1.5GiB",
        "1e3",
        "kB",
        "٣",
        "0777",
        "027",
        "-1",
        "nan",
        "inf",
        "npy,tiff",
        "flag",
        "fl",
    ),
)


class _Parser(argparse.ArgumentParser):
    """A parser that raises instead of ending the program."""

    def error(self, message: str) -> None:  # type: ignore[override]
        raise _RefusedError(message)


class _RefusedError(Exception):
    pass


@cache
def _parser() -> _Parser:
    words = _Parser(add_help=False, exit_on_error=False, allow_abbrev=False)
    words.add_argument("--size", type=parse_size)
    words.add_argument("--ttl", type=time_to_live)
    words.add_argument("--umask", type=permissions)
    words.add_argument("--types", type=file_types)
    words.add_argument("--threads", type=thread_count)
    words.add_argument("--flag", action="store_true")
    words.add_argument("--header", action="append")
    parser = _Parser(add_help=False, exit_on_error=False)
    parser.add_argument("-o", action=OptionWords, words=words)
    return parser


def check(data: bytes) -> None:
    """The words are understood or refused; so is the same text as a value."""
    text = data.decode("utf-8", "surrogateescape")
    try:
        found = _parser().parse_args(["-o", text])
    except (_RefusedError, argparse.ArgumentError):
        found = None
    if found is not None and getattr(found, "size", None) is not None:
        assert found.size >= 0
    for parse in (parse_size, time_to_live, permissions, file_types, thread_count):
        try:
            value = parse(text)  # type: ignore[operator]
        except (ValueError, argparse.ArgumentTypeError):
            continue
        if parse is parse_size:
            _check_size(text, value)
        elif parse is time_to_live:
            assert value >= 0
            assert value == math.inf or text != "forever"


def _check_size(text: str, nbytes: int) -> None:
    """A whole number of units is exact, and is written as a text that reads as about the same size."""
    assert nbytes >= 0
    digits = text.strip()
    if digits.isascii() and digits.isdigit():
        assert nbytes == int(digits)
    if nbytes < 1 << 49:
        about = parse_size(format_bytes(nbytes).replace(",", "").replace("bytes", "b").replace("byte", "b"))
        assert abs(about - nbytes) <= nbytes * 0.006


def examples() -> Iterable[bytes]:
    """Words of fstab, quoted and escaped values, sizes."""
    texts = [
        *(
            "size=512M,ttl=60,ro,nofail",
            'header="A: b,c",flag',
            "header=A: b\\,c",
            "types=npy\\,tiff,threads=8,umask=027",
            "sloppy,nothing",
        ),
        *("100", "1.5 GiB", "512MB", "forever", "0.5", "027"),
    ]
    return [text.encode() for text in texts]
