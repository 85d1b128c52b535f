"""``zarrscope browse``. Qt is loaded only to show the window."""

from __future__ import annotations

import argparse
import importlib.util
import os
import signal
import sys
from typing import Any

from zarrcore.errors import MissingExtraError, ZarrError

NEEDED = ("PySide6", "pyqtgraph", "cmap")
LIBRARIES = (
    "on Debian: apt install libegl1 libgl1 libfontconfig1 libdbus-1-3 libxkbcommon-x11-0 libxcb-cursor0"
)
_DESCRIPTION = "Show a Zarr hierarchy, or a folder or bucket with several, in a window: tree, images of slices, plots, metadata."


def register(subparsers: argparse._SubParsersAction[Any]) -> None:
    """Add ``browse`` to the commands of ``zarrscope``."""
    parser = subparsers.add_parser(
        "browse",
        help="show a hierarchy in a window",
        description=_DESCRIPTION,
        examples=(
            "browse brain.zarr",
            "browse brain.zarr functional",
            "browse s3://bucket/data.zarr --anonymous",
        ),
    )
    add_arguments(parser)
    parser.set_defaults(run=run)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``browse``."""
    from zarrcore.cli.completion import complete_by, node_paths
    from zarrcore.cli.source import add_format_argument
    from zarrcore.cli.store_arguments import add_store_arguments

    parser.add_argument(
        "source",
        metavar="SOURCE",
        nargs="?",
        help="path or URL of a store, SOURCE#/node/path, a zarrscope:// link, or a file of bookmarks",
    )
    path = parser.add_argument(
        "path", metavar="PATH", nargs="?", default="/", help="path of a node in it (default: the root)"
    )
    complete_by(path, node_paths)
    parser.add_argument("--fresh", action="store_true", help="use default settings and save nothing")
    colours = parser.add_mutually_exclusive_group()
    colours.add_argument(
        "--light",
        dest="appearance",
        action="store_const",
        const="light",
        help="light colours (default: as chosen in the menu)",
    )
    colours.add_argument("--dark", dest="appearance", action="store_const", const="dark", help="dark colours")
    parser.add_argument(
        "--screenshot",
        metavar="FILE",
        help="write the window to a PNG file once it shows the node, and exit",
    )
    add_format_argument(parser)
    add_store_arguments(parser)


def run(namespace: argparse.Namespace) -> int:
    """Show the window until it is closed.

    Raises:
        MissingExtraError: PySide6 or the libraries that draw images are not installed.
        ZarrError: the display or a system library is missing.
    """
    if not all(importlib.util.find_spec(name) for name in NEEDED):
        raise MissingExtraError("the browser", "gui")
    _check_display()
    # An interrupt that Python raises while PySide6 is loaded makes it crash. The window has a handler of its own.
    signal.signal(signal.SIGINT, lambda *_: os._exit(128 + signal.SIGINT))
    try:
        from zarrbrowser.plain_imports import restore_imports  # late: for a fast start

        restore_imports()
        from zarrbrowser import app
        from zarrbrowser.theme import Appearance
    except ImportError as error:  # PySide6 is installed, but a system library that it needs is not
        raise ZarrError(f"Qt cannot be loaded: {error}; {LIBRARIES}") from error

    return app.run(
        request_of(namespace),
        fresh=namespace.fresh,
        appearance=Appearance(namespace.appearance) if namespace.appearance else None,
        screenshot=namespace.screenshot,
    )


def has_display() -> bool:
    """Whether the environment names a display, or the platform of Qt."""
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return sys.platform != "linux" or any(os.environ.get(name) for name in names)


def _check_display() -> None:
    # Qt itself would abort with a core dump.
    if not has_display():
        raise ZarrError("there is no display to show a window on: neither DISPLAY nor WAYLAND_DISPLAY is set")


def request_of(namespace: argparse.Namespace) -> Any:
    # late: for a fast start
    from zarrbrowser.session.saved_views.links import is_link
    from zarrbrowser.session.sources import SourceRequest
    from zarrcore.cli.store_arguments import store_options
    from zarrcore.stores import StoreOptions

    if namespace.source is None:
        return None
    if is_link(namespace.source):
        if namespace.path != "/":
            raise ZarrError("a link names its node: give it without PATH")
        own = store_options(namespace)
        return SourceRequest(namespace.source, "/", namespace.format, own if own != StoreOptions() else None)
    request = SourceRequest.typed(namespace.source)
    path = "/" + namespace.path.strip("/")
    return SourceRequest(
        request.address,
        path if path != "/" else request.path,
        namespace.format,
        store_options(namespace),
    )
