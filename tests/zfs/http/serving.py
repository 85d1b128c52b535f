"""Servers of ``zarrscope serve`` on loopback, in a thread of this process."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx

from tests.waiting import PATIENCE_S
from zarrcore.stores import ReadableStore
from zarrfs.http.application import application
from zarrfs.http.featured import find_featured
from zarrfs.http.listening import listen, origin_of
from zarrfs.http.options import ServeOptions
from zarrfs.http.server import Server
from zarrfs.http.site import Site, site_of, tree_options
from zarrfs.trees.opening import open_trees


@dataclass(frozen=True)
class Served:
    """A running server."""

    url: str
    """Its address, without a slash at the end."""
    port: int
    site: Site
    server: Server


get = partial(httpx.get, timeout=PATIENCE_S)
"""An answer, however busy the machine is."""


@contextlib.contextmanager
def serving(source: str | os.PathLike[str] | ReadableStore, **options: Any) -> Iterator[Served]:
    """Serve a source while the block runs; options are those of `ServeOptions`."""
    chosen = ServeOptions(port=0, **options)
    trees = open_trees(source, tree_options(chosen))
    site = site_of(trees, chosen)
    with contextlib.suppress(Exception):
        site.featured = find_featured(trees.arrays)
    server = Server(application(site, chosen), trees.refresh)
    with listen(chosen.host, 0) as listening:
        thread = threading.Thread(target=server.serve_on, args=(listening,))
        thread.start()
        try:
            yield Served(origin_of(listening, chosen.host), listening.getsockname()[1], site, server)
        finally:
            server.should_exit = True
            thread.join(PATIENCE_S)
            assert not thread.is_alive()
            site.workers.stop(0)
            trees.close()
