"""The example in a directory, a zip file, a database and a bucket."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.editing.places import write_example
from tests.servers.s3 import S3Server
from zarrbrowser.editing.opening import open_for_changes
from zarrbrowser.session.connection import Connection
from zarrbrowser.session.sources import Source, SourceRequest


@pytest.fixture(params=["directory v3", "directory v2", "directory n5", "zip", "sqlite", "s3"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Source]:
    """The example of `places`, open for changes."""
    kind, _, format_ = request.param.partition(" ")
    options: dict[str, Any] = {}
    connection = None
    place = str(tmp_path / "a.zarr")
    if kind == "zip":
        place += ".zip"
    elif kind == "sqlite":
        place = f"sqlite://{place}.sqlite"
    elif kind == "s3":
        server: S3Server = request.getfixturevalue("s3")
        place = f"s3://bucket/editing/{tmp_path.name}/a.zarr"
        options, connection = server.options, Connection(server.endpoint_url, "us-east-1")
    write_example(place, format_ or "v3", **options)
    opened = open_for_changes(SourceRequest(place, options=connection))
    yield opened
    opened.hierarchy.close()  # type: ignore[attr-defined]


Again = Callable[[Source], Any]


@pytest.fixture
def again() -> Again:
    """Opens a source once more, as another program would."""

    def open_it(source: Source) -> Any:
        import zarrcore as zc

        connection = source.request.options
        options = None if connection is None else connection.store_options()
        return zc.open_hierarchy(zc.open_store(source.request.address, options=options))

    return open_it
