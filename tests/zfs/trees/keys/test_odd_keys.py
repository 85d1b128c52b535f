"""A mount of a bucket with keys that are not paths."""

import os
from urllib.parse import quote

from tests.servers.s3 import S3Server
from tests.zfs.conftest import Mounter

GROUP = b'{"zarr_format": 3, "node_type": "group", "attributes": {}}'


def test_they_are_left_out_and_all_others_are_there(s3: S3Server, mount: Mounter) -> None:
    """S7: "Keys of a bucket that are not paths"."""
    s3.create_bucket("oddmount")
    for key in ("zarr.json", "b/zarr.json", "b/x/zarr.json", "z"):
        s3.put(f"oddmount/{key}", GROUP)
    for key in ("b//x", "b/./x", "b/../x", "b/x/\t", "/lead/zarr.json"):
        s3.request("PUT", f"oddmount/{quote(key, safe='').replace('.', '%2E')}", b"odd")
    mounted = mount("s3://oddmount", *s3.arguments)
    found = [
        os.path.relpath(os.path.join(folder, name), mounted.keys)
        for folder, _, names in os.walk(mounted.keys, onerror=_fail)
        for name in names
    ]
    assert sorted(found) == ["b/x/zarr.json", "b/zarr.json", "z", "zarr.json"]
    folders = [folder for folder, *_ in os.walk(mounted.arrays, onerror=_fail)]
    assert sorted(os.path.relpath(folder, mounted.arrays) for folder in folders) == [".", "b", "b/x"]
    assert "s3://oddmount: keys that are not paths were left out (1): '/'" in mounted.log.read_text()


def _fail(error: OSError) -> None:
    raise error
