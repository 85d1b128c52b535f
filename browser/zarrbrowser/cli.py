"""``zarrscope browse`` and the GUI script ``zarrbrowser``. Qt is loaded only when the window is wanted."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from typing import Any

from zarrcore.errors import MissingExtraError

_NEEDED = ("PySide6", "pyqtgraph", "cmap")
_DESCRIPTION = "Show a Zarr hierarchy in a window: its tree, pictures of slices, plots, metadata."


def register(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add ``browse`` to the commands of ``zarrscope``."""
    parser = subparsers.add_parser("browse", help="show a hierarchy in a window", description=_DESCRIPTION)
    add_arguments(parser)
    parser.set_defaults(run=run)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``browse``."""
    from zarrcore.stores.options import add_store_arguments

    parser.add_argument("source", metavar="SOURCE", nargs="?", help="path or URL of a store, or SOURCE#/node/path")
    parser.add_argument("path", metavar="PATH", nargs="?", default="/", help="path of a node in it")
    parser.add_argument("--fresh", action="store_true", help="start as on the first day and remember nothing")
    colours = parser.add_mutually_exclusive_group()
    colours.add_argument("--light", dest="appearance", action="store_const", const="light", help="light colours")
    colours.add_argument("--dark", dest="appearance", action="store_const", const="dark", help="dark colours")
    parser.add_argument(
        "--screenshot", metavar="FILE", help="write the window as PNG once it shows what was asked for, and end"
    )
    parser.add_argument("--format", metavar="NAME", help="on-disk format, v3 or v2 (default: found out)")
    add_store_arguments(parser)


def run(namespace: argparse.Namespace) -> int:
    """Show the window until it is closed.

    Raises:
        MissingExtraError: PySide6 or what draws pictures is not installed.
    """
    if not all(importlib.util.find_spec(name) for name in _NEEDED):
        raise MissingExtraError("the browser", "gui")
    from zarrbrowser import app
    from zarrbrowser.theme import Appearance

    return app.run(
        _request(namespace),
        fresh=namespace.fresh,
        appearance=Appearance(namespace.appearance) if namespace.appearance else None,
        screenshot=namespace.screenshot,
    )


def main() -> None:
    """``zarrbrowser [SOURCE [PATH]]``: the same as ``zarrscope browse``."""
    from zarrcore.cli.main import main as zarrscope

    sys.exit(zarrscope(["browse", *sys.argv[1:]]))


def _request(namespace: argparse.Namespace) -> Any:
    from zarrbrowser.session.sources import SourceRequest
    from zarrcore.stores.options import store_options

    if namespace.source is None:
        return None
    request = SourceRequest.typed(namespace.source)
    path = "/" + namespace.path.strip("/")
    return SourceRequest(
        request.address,
        path if path != "/" else request.path,
        namespace.format,
        store_options(namespace),
    )
