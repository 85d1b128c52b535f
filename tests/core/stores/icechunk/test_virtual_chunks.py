"""Virtual chunks are read only where the user allows their location."""

from __future__ import annotations

from pathlib import Path

import icechunk
import numpy as np
import pytest
import zarr

import zarrcore
from tests.servers import S3Server
from zarrcore.errors import BrokenReferenceError

VALUES = np.arange(12, dtype="<i4")


def write(repository: Path, location: str, store: object, credentials: object) -> None:
    """A repository with an array whose one chunk is at ``location``, from byte 4 on."""
    config = icechunk.RepositoryConfig.default()
    prefix = location.rpartition("/")[0] + "/"
    config.set_virtual_chunk_container(icechunk.VirtualChunkContainer(prefix, store))
    opened = icechunk.Repository.create(
        icechunk.local_filesystem_storage(str(repository)),
        config=config,
        authorize_virtual_chunk_access=icechunk.containers_credentials({prefix: credentials}),
    )
    opened.save_config()
    session = opened.writable_session("main")
    zarr.create_array(session.store, name="a", shape=(12,), chunks=(12,), dtype="<i4", compressors=None)
    session.store.set_virtual_ref("a/c/0", location, offset=4, length=48)
    session.commit("virtual")


def test_chunks_in_files_need_permission_where_others_read_them(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "x.bin").write_bytes(b"head" + VALUES.tobytes())
    write(
        tmp_path / "repo",
        f"file://{data}/x.bin",
        icechunk.local_filesystem_store(str(data)),
        icechunk.credentials.LocalFileSystemAccess,
    )
    with zarrcore.open_hierarchy(tmp_path / "repo") as hierarchy:
        assert hierarchy["/a"][...].tolist() == VALUES.tolist()
    for allowed in ((), ("s3://bucket/",), (f"file://{tmp_path}/dat",), (str(tmp_path / "repo"),)):
        with (
            zarrcore.open_hierarchy(tmp_path / "repo", targets="shared", allow_targets=allowed) as hierarchy,
            pytest.raises(
                BrokenReferenceError, match=rf"not allowed.*--allow-targets file://{data}/ "
            ) as caught,
        ):
            hierarchy["/a"][...]
        assert caught.value.allow == f"file://{data}/"
    allowed = ("s3://b/", str(tmp_path))
    with zarrcore.open_hierarchy(tmp_path / "repo", targets="shared", allow_targets=allowed) as hierarchy:
        assert hierarchy["/a"][...].tolist() == VALUES.tolist()
        (data / "x.bin").unlink()
        with pytest.raises(BrokenReferenceError, match="virtual chunk that cannot be read"):
            hierarchy["/a"][...]


def test_chunks_in_a_bucket_are_read_with_the_credentials_of_its_endpoint(
    tmp_path: Path, s3: S3Server
) -> None:
    s3.put("bucket/virtual/x.bin", b"head" + VALUES.tobytes())
    write(
        tmp_path / "repo",
        "s3://bucket/virtual/x.bin",
        icechunk.s3_store(
            "us-east-1", s3.endpoint_url, allow_http=True, s3_compatible=True, force_path_style=True
        ),
        icechunk.s3_credentials(anonymous=True),
    )
    # The repository chooses this machine as the endpoint, unless the user does, too.
    refused = pytest.raises(BrokenReferenceError, match="--allow-targets s3://bucket/virtual/ allows it")
    with zarrcore.open_hierarchy(tmp_path / "repo", anonymous=True) as hierarchy, refused:
        hierarchy["/a"][...]
    with zarrcore.open_hierarchy(tmp_path / "repo", targets="shared", **s3.options) as hierarchy, refused:
        hierarchy["/a"][...]
    with zarrcore.open_hierarchy(tmp_path / "repo", **s3.options) as hierarchy:
        assert hierarchy["/a"][...].tolist() == VALUES.tolist()
    for options in (s3.options, {"anonymous": True}):
        with zarrcore.open_hierarchy(
            tmp_path / "repo", allow_targets=["s3://bucket/virtual/"], **options
        ) as hierarchy:
            assert hierarchy["/a"][...].tolist() == VALUES.tolist()
