"""Store options as command-line arguments, and as words for another command."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar

from zarrcore.errors import StoreError
from zarrcore.sizes import parse_size
from zarrcore.stores.options import STORE_OPTIONS, StoreOption, StoreOptions

T = TypeVar("T")

STORE_OPTIONS_TITLE: Final = "store options"


def add_store_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the store options to ``parser``, and ``--help-store``, which lists them."""
    parser.add_argument(
        "--help-store",
        action=_HelpStore,
        nargs=0,
        dest=argparse.SUPPRESS,
        default=argparse.SUPPRESS,
        help="show the store options, such as --anonymous and --endpoint-url, and exit",
    )
    group = parser.add_argument_group(STORE_OPTIONS_TITLE)
    for option in STORE_OPTIONS:
        if option.argument is None:
            continue
        if option.is_flag:
            group.add_argument(option.argument, action="store_true", help=option.help)
            continue
        group.add_argument(
            option.argument,
            action="append" if option.is_repeated else "store",
            default=[] if option.is_repeated else option.default,
            metavar=option.metavar,
            type=argument_type(partial(_parsed, option)),
            help=option.help,
        )


class _HelpStore(argparse.Action):
    """Shows the store options, and exits."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        formatter = parser._get_formatter()  # noqa: SLF001 - argparse has no public way to a group's help
        for group in parser._action_groups:  # noqa: SLF001
            if group.title == STORE_OPTIONS_TITLE:
                formatter.start_section(f"{group.title}, of all commands that open a store")
                formatter.add_arguments(group._group_actions)  # noqa: SLF001
                formatter.end_section()
        print(formatter.format_help(), end="")
        parser.exit()


def store_options(namespace: argparse.Namespace) -> StoreOptions:
    """The store options of a command line."""
    chosen: dict[str, Any] = {}
    for option in STORE_OPTIONS:
        if option.argument is not None:
            value = getattr(namespace, option.argument.removeprefix("--").replace("-", "_"))
            chosen[option.name] = option.gathered(value) if option.is_repeated else value
    return StoreOptions(**chosen)


def argument_type(parse: Callable[[str], T]) -> Callable[[str], T]:
    """``parse`` for `argparse`, which would replace the message of any other error by the argument."""

    def parsed(text: str) -> T:
        try:
            return parse(text)
        except (ValueError, StoreError) as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return parsed


size = argument_type(parse_size)
"""A number of bytes, for `argparse`."""


def natural(text: str) -> int:
    """A number of at least 0, for `argparse`."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected 0 or more, found {text!r}")
    return int(text)


def positive(text: str) -> int:
    """A number of at least 1, for `argparse`."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"expected 1 or more, found {text!r}")
    return int(text)


def _parsed(option: StoreOption, text: str) -> Any:
    value = option.parse(text)
    if option.check is not None:
        option.check(option.gathered([value]) if option.is_repeated else value)
    return value
