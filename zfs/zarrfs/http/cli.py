"""``zarrscope serve``."""

from __future__ import annotations

import argparse
import importlib.util
import logging
import os
import sys
from contextlib import closing
from dataclasses import replace
from threading import Thread
from typing import TYPE_CHECKING, Final

from zarrcore.cli.source import SOURCE_HELP, add_format_argument, add_missing_argument
from zarrcore.cli.store_arguments import add_store_arguments, store_options
from zarrcore.cli.text import printable
from zarrfs import process_list
from zarrfs.http.options import ServeOptions
from zarrfs.http.viewers import links
from zarrfs.log_format import LogFormatter
from zarrfs.tree_arguments import add_options, chosen_options

if TYPE_CHECKING:  # loading these takes long
    from zarrfs.http.site import Site
_GRACE_S: Final = 3.0
"""How long reads in progress may delay the end."""
_EXAMPLES = """\
Open view/ in a browser to look at groups, arrays and images of any format; its address names what it shows. The other
addresses are those of a mount: keys/, arrays/ (arrays/x/data.npy, arrays/x/slices/3.png, arrays/x/3,_,0-100.npy), zarr3/ (the
hierarchy as uncompressed Zarr v3, for viewers and other readers) and hdf5/. Desktops mount the server by WebDAV. Clients
that send no complete request for 30 s, or take less than 64 KiB of an answer in a minute, are cut off. Stop the server with
Ctrl+C; SIGHUP drops what it remembers."""


def register(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``serve`` to the command line."""
    parser = subparsers.add_parser(
        "serve",
        help="serve a store over HTTP and WebDAV",
        description="Serve a store over HTTP and WebDAV, read-only, to this machine unless you choose another --host.",
        epilog=_EXAMPLES,
        examples=(
            "serve brain.zarr",
            "serve brain.zarr --port 8080",
            "serve s3://bucket/data.zarr --anonymous",
        ),
    )
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help=SOURCE_HELP,
    )
    group = parser.add_argument_group("server options")
    add_options(group, ServeOptions)
    add_format_argument(parser)
    add_missing_argument(parser)
    group.add_argument(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        default="warning",
        help="the least severe messages to log to stderr; info logs each request (default: %(default)s)",
    )
    add_store_arguments(parser)
    parser.set_defaults(run=_serve)


def _serve(namespace: argparse.Namespace) -> int:
    from zarrcore.errors import MissingExtraError

    for module in ("uvicorn", "starlette"):
        if importlib.util.find_spec(module) is None:
            raise MissingExtraError("serving", "serve")
    from zarrfs.http.application import application
    from zarrfs.http.listening import check_exposure, listen, origin_of
    from zarrfs.http.server import Server
    from zarrfs.http.site import site_of, tree_options
    from zarrfs.trees.opening import open_trees

    options = ServeOptions(**chosen_options(namespace, ServeOptions))
    check_exposure(options)
    token = [] if options.token is None else [options.token.value]
    process_list.hide([*process_list.source_secrets(namespace), *token])
    _log_to_stderr(namespace.log_level)
    with (
        listen(options.host, options.port) as listening,
        closing(
            open_trees(
                namespace.source,
                tree_options(options),
                replace(store_options(namespace), targets="shared"),
                namespace.format,
                namespace.missing,
            )
        ) as trees,
    ):
        site = site_of(trees, options)
        server = Server(application(site, options), trees.refresh)
        _announce(site, options, origin_of(listening, options.host))
        server.serve_on(listening)
        have_ended = site.workers.stop(_GRACE_S)
    if not have_ended:  # a store does not answer, and Python would wait for its threads
        sys.stdout.flush()
        os._exit(0)
    return 0


def _log_to_stderr(level: str) -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(LogFormatter("%(asctime)s zarrscope[%(process)d] %(levelname)s %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    # These libraries log each request, or what the application has logged already.
    for name, least in (
        ("httpx", logging.WARNING),
        ("httpcore", logging.WARNING),
        ("uvicorn", logging.CRITICAL),
    ):
        logging.getLogger(name).setLevel(least)


def _announce(site: Site, options: ServeOptions, origin: str) -> None:
    """Print the addresses at once, and the links to viewers when a node for them is found."""
    from zarrfs.http.access import is_loopback

    token = _shown_token(options)
    query = "" if token is None else f"?token={token}"
    print(f"{printable(site.title)} is at {origin}/{query}", flush=True)
    if site.has_viewer:
        print(f"{'view':12} {origin}/view/{query}", flush=True)
    if options.token is None and not is_loopback(options.host):
        print("zarrscope: note: everyone who can reach this address can read it", file=sys.stderr)
    Thread(target=_print_links, args=(site, origin, token), daemon=True).start()


def _shown_token(options: ServeOptions) -> str | None:
    """The token in addresses that are printed. One that the user has chosen is a secret that output may not show."""
    if options.token is None:
        return None
    return options.token.value if options.token.is_made else "TOKEN"


def _print_links(site: Site, origin: str, token: str | None) -> None:
    from zarrcore.errors import ZarrError
    from zarrfs.http.featured import find_featured

    try:
        site.featured = find_featured(site.trees.arrays)
    except ZarrError as error:
        print(f"zarrscope: note: {printable(str(error))}", file=sys.stderr)
        return
    for node in site.featured:
        for viewer, link in links(node, site.address(origin, node, token)):
            needed = "" if site.allows(viewer.origin) else f"  (needs --allow-origin {viewer.name})"
            print(f"{viewer.name:12} {link}{needed}", flush=True)
