"""Options of every command that shows the trees. Each is one field, with its default, its name and its help."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

from zarrcore.cli.store_arguments import size
from zarrcore.filetypes import FILE_TYPES
from zarrcore.sizes import SIZE_UNITS, parse_number
from zarrfs.trees.root import TreeName

SHOWABLE: Final = tuple(kind.suffix for kind in FILE_TYPES if not kind.is_text)
"""The file types that listings can show, by suffix."""
_LISTED: Final = ",".join(kind.suffix for kind in FILE_TYPES if kind.is_listed)


def option(
    name: str,
    help_text: str,
    default: str | None = None,
    parse: Callable[[str], Any] = str,
    metavar: str | None = None,
    choices: Sequence[str] | None = None,
) -> Any:
    """A field that the command line sets; the default is written as on the command line."""
    value = None if default is None else parse(default)
    if default:
        first, mark, rest = help_text.partition(";")
        help_text = f"{first} (default: {default}){mark}{rest}"
    keywords = {"type": parse, "help": help_text, "metavar": metavar, "choices": choices}
    return field(default=value, metadata={"name": name, "keywords": {**keywords, "default": value}})


def flag(name: str, help_text: str) -> Any:
    """A field that is True if the command line has its name."""
    return field(
        default=False, metadata={"name": name, "keywords": {"action": "store_true", "help": help_text}}
    )


def time_to_live(text: str) -> float:
    """Seconds, or ``forever``.

    >>> time_to_live("60"), time_to_live("forever")
    (60.0, inf)
    """
    if text == "forever":
        return math.inf
    try:
        seconds = parse_number(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < math.inf:
        raise argparse.ArgumentTypeError(f"expected seconds or 'forever', found {text!r}")
    return seconds


def file_types(text: str) -> tuple[str, ...]:
    """File types, separated by commas.

    >>> file_types("npy,tiff"), file_types("")
    (('npy', 'tiff'), ())
    """
    names = tuple(text.split(",")) if text else ()
    for name in names:
        if name not in SHOWABLE:
            raise argparse.ArgumentTypeError(f"expected some of {','.join(SHOWABLE)}, found {name!r}")
    return names


def thread_count(text: str) -> int:
    """A number of threads.

    >>> thread_count("32")
    32
    """
    return number(text, 1, 1000)


def number(text: str, least: int, most: int) -> int:
    """A number within bounds.

    >>> number("7", 1, 9)
    7
    """
    if not (text.isascii() and text.isdigit()) or not least <= int(text) <= most:
        raise argparse.ArgumentTypeError(f"expected a number from {least} to {most}, found {text!r}")
    return int(text)


@dataclass(frozen=True, slots=True)
class TreeArguments:
    """How to show the trees of a store."""

    view: str | None = option(
        "view", "show one tree at the root itself", choices=[tree.value for tree in TreeName]
    )
    """The tree at the root itself; None for all trees as directories."""
    cache_bytes: int = option("cache-size", f"memory for decoded data; {SIZE_UNITS}", "512M", size, "SIZE")
    """Memory for decoded chunks and read-ahead, in bytes."""
    spill_bytes: int = option(
        "spill-size",
        "disk space for decoded chunks that do not fit in --cache-size; 0 for none",
        "8G",
        size,
        "SIZE",
    )
    """Disk space for decoded chunks of arrays whose rows of chunks do not fit in memory, in bytes."""
    ttl_s: float = option(
        "metadata-ttl",
        "how old an answer may be: seconds, or 'forever'; 0 always asks the store",
        "60",
        time_to_live,
        "SECONDS",
    )
    """The maximum age of an answer, in seconds."""
    show: tuple[str, ...] = option(
        "show",
        f"file types to list, of {','.join(SHOWABLE)}; others open by name",
        _LISTED,
        file_types,
        "TYPE,...",
    )
    """File types that listings show; the others open by name."""
    threads: int = option("threads", "worker threads", "32", thread_count, "N")
    """Worker threads for calls that wait."""


def add_options(group: argparse._ActionsContainer, table: type[TreeArguments]) -> None:
    """Add the options of a table to a command."""
    for each in fields(table):
        if each.metadata:
            group.add_argument(f"--{each.metadata['name']}", **each.metadata["keywords"])


def chosen_options(namespace: argparse.Namespace, table: type[TreeArguments]) -> Mapping[str, Any]:
    """The fields of a table, from a parsed command line. Data that never change are asked for once."""
    chosen = {
        each.name: getattr(namespace, each.metadata["name"].replace("-", "_"))
        for each in fields(table)
        if each.metadata
    }
    return {**chosen, "ttl_s": math.inf} if namespace.immutable else chosen
