"""The storage of arrays as arguments: ``--chunks``, ``--shards`` and ``--codec``."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from zarrcore.cli.text import tuple_parts
from zarrcore.printable import json_fault
from zarrcore.sizes import parse_number

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from zarrcore.metadata import NamedConfiguration

_LEVELS = {
    "zstd": "level",
    "gzip": "level",
    "zlib": "level",
    "bz2": "level",
    "lz4": "acceleration",
    "blosc": "clevel",
}
_BLOSC = {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "blocksize": 0}


def add_layout_arguments(parser: argparse.ArgumentParser, chunks: str, shards: str, codec: str) -> None:
    """Add the arguments; the other parameters say in the help what happens without them."""
    parser.add_argument(
        "--chunks",
        type=lengths,
        metavar="N,N,…",
        help=f"shape of chunks; -1 is a whole dimension (default: {chunks})",
    )
    parser.add_argument(
        "--shards",
        type=_shards,
        metavar="N,N,…",
        help=f"shape of shards, which hold chunks; none for no shards (default: {shards})",
    )
    parser.add_argument(
        "--codec",
        type=_codecs,
        metavar="CODEC",
        help=f"none, zstd:5, gzip, blosc:5, …, or the codecs as JSON (default: {codec})",
    )


def named_codecs(codecs: list[Any] | None) -> tuple[NamedConfiguration, ...] | None:
    """The codecs of ``--codec``; None if the option was not given.

    Raises:
        MetadataError: one of them is not the name of a codec, or an object with a name.
        SelectionError: a codec is unknown, or its parameters are invalid.
    """
    if codecs is None:
        return None
    from zarrcore.codecs.registry import make_codec
    from zarrcore.errors import MetadataError, SelectionError, UnsupportedError
    from zarrcore.metadata.named_configuration import parse_named_configuration

    named = tuple(
        parse_named_configuration(item, f"--codec[{position}]") for position, item in enumerate(codecs)
    )
    for codec in named:
        try:
            make_codec(codec, "")
        except (MetadataError, UnsupportedError) as error:
            raise SelectionError(f"--codec: {error}") from error
    return named


def lengths(text: str) -> tuple[int, ...]:
    """Lengths of dimensions, each at least 1, or -1 for a whole dimension; for `argparse`."""
    try:
        found = tuple(int(parse_number(part, int)) for part in tuple_parts(text))
    except ValueError:
        found = ()
    if not found or any(length < 1 and length != -1 for length in found):
        raise argparse.ArgumentTypeError(f"expected lengths such as 64,64,64, found {text!r}")
    return found


def _shards(text: str) -> tuple[int, ...]:
    return () if text == "none" else lengths(text)


def _codecs(text: str) -> list[Any]:
    """The codecs of ``--codec`` in the form of a Zarr v3 document."""
    if text.lstrip()[:1] in ("[", "{"):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise argparse.ArgumentTypeError(f"not JSON: {json_fault(error)}") from error
        return found if isinstance(found, list) else [found]
    if text == "none":
        return []
    name, _, level = text.partition(":")
    if level and (name not in _LEVELS or not level.lstrip("-").isdecimal()):
        raise argparse.ArgumentTypeError(f"expected a codec such as zstd:5, or JSON, found {text!r}")
    configuration: dict[str, Any] = dict(_BLOSC) if name == "blosc" else {}
    if level:
        configuration[_LEVELS[name]] = int(level)
    if name in ("zlib", "bz2", "lz4"):
        name = f"numcodecs.{name}"
    return [{"name": name, "configuration": configuration}]
