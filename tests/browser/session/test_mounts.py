"""Mounting a source with the command, without a window."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from zarrbrowser.session.connection import Connection
from zarrbrowser.session.mounts import Mounts, _words
from zarrbrowser.session.sources import SourceRequest, open_source
from zarrcore.errors import ZarrError
from zarrcore.stores.options import StoreOptions


def test_a_failed_mount_is_reported_and_leaves_no_folder(mountable: Path, tmp_path: Path) -> None:
    source = open_source(SourceRequest(str(mountable)))
    source.request = SourceRequest(str(tmp_path / "nothing.zarr"))
    with pytest.raises(ZarrError, match=r"nothing\.zarr"):
        Mounts().mount(source)
    assert list((tmp_path / "zarrscope" / "mounts").iterdir()) == []


def test_headers_are_not_on_the_command_line() -> None:
    options = StoreOptions(
        headers={"Authorization": "Bearer secret"}, region="eu-west-1", ca_bundle="/ca.pem"
    )
    with _words(SourceRequest("https://example.org/a", format="v2", options=options)) as words:
        assert "secret" not in " ".join(words)
        name, _, path = words[words.index("--header") + 1].partition(": @")
        assert (name, Path(path).read_text()) == ("Authorization", "Bearer secret")
        assert os.stat(path).st_mode & 0o077 == 0
    assert not os.path.exists(path)
    assert {"--format", "v2", "--region", "eu-west-1", "--ca-bundle"} <= set(words)
    with _words(
        SourceRequest("s3://bucket/a", options=Connection("http://localhost:9", anonymous=True))
    ) as words:
        assert words == ["--endpoint-url", "http://localhost:9", "--anonymous"]
