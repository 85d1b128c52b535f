"""Mounting a source with the command, without a window."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from zarrbrowser.session.connection import Connection
from zarrbrowser.session.mounts import Mounts, _words, is_mounted
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


def test_the_system_s_mount_table_says_what_is_mounted(tmp_path: Path) -> None:
    assert is_mounted("/proc")
    assert not is_mounted("/proc/self")
    assert not is_mounted(str(tmp_path))
    assert not is_mounted(str(tmp_path / "missing"))


def test_a_folder_that_another_program_unmounted_is_forgotten(mountable: Path, tmp_path: Path) -> None:
    source, folder = open_source(SourceRequest(str(mountable))), tmp_path / "left"
    folder.mkdir()
    mounts = Mounts({source.request.place: str(folder)})
    assert mounts.folder(source) is None
    assert mounts.folders == {}


def test_unmounting_removes_the_folder_unless_another_program_wrote_there(tmp_path: Path) -> None:
    for name in ("empty", "used"):
        (tmp_path / name).mkdir()
    (tmp_path / "used" / "note.txt").touch()
    mounts = Mounts({"one": str(tmp_path / "empty"), "two": str(tmp_path / "used")})
    mounts.unmount("elsewhere")
    mounts.leave(1)
    assert mounts.folders == {}
    assert [one.name for one in tmp_path.iterdir()] == ["used"]


def test_all_options_of_a_store_reach_the_command(tmp_path: Path) -> None:
    options = StoreOptions(
        timeout_s=7.0,
        retries=2,
        cache_dir=tmp_path,
        follow_links=True,
        treat_403_as_missing=True,
        allow_targets=["/a", "s3://b/"],
    )
    with _words(SourceRequest("https://example.org/a", options=options)) as words:
        assert {"--follow-links", "--treat-403-as-missing"} <= set(words)
        assert " ".join(words).count("--allow-targets /a --allow-targets s3://b/") == 1
        told = {name: words[words.index(name) + 1] for name in ("--timeout", "--retries", "--cache-dir")}
    assert told == {"--timeout": "7.0", "--retries": "2", "--cache-dir": str(tmp_path)}
    with _words(SourceRequest("/data/a.zarr")) as words:
        assert words == []
