"""GCS and Azure from the command line, as a person would type it: copying to them, listing and mounting them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import zarr

from tests.command import run_inside
from tests.zfs.conftest import Mounter

VALUES = np.random.default_rng(2).integers(0, 1000, (4, 30, 40)).astype("<i4")


@pytest.mark.parametrize(("service", "url"), [("gcs", "gs://gcs/h.zarr"), ("azure", "az://container/h.zarr")])
def test_a_hierarchy_is_copied_to_a_bucket_and_mounted(
    request: pytest.FixtureRequest, mount: Mounter, tmp_path: Path, service: str, url: str
) -> None:
    arguments = request.getfixturevalue(service).arguments
    group = zarr.open_group(tmp_path / "h.zarr", mode="w", attributes={"n": 1})
    group.create_array("a/x", shape=VALUES.shape, chunks=(2, 10, 10), dtype="i4")[...] = VALUES
    copied = run_inside("copy", tmp_path / "h.zarr", url, *arguments)
    assert (copied.status, copied.stderr) == (0, "")
    assert "4 × 30 × 40" in run_inside("tree", url, *arguments).text
    assert run_inside("ls", url, "a/x/c/1", *arguments).text.split() == [f"a/x/c/1/{n}/" for n in range(3)]
    assert run_inside("check", url, *arguments).status == 0
    out = tmp_path / "x.npy"
    assert run_inside("cat", url, "a/x", "--output", out, *arguments).status == 0
    np.testing.assert_array_equal(np.load(out), VALUES)
    mounted = mount(url, *arguments)
    np.testing.assert_array_equal(np.load(mounted.arrays / "a" / "x" / "data.npy", mmap_mode="r"), VALUES)
    assert mounted.log.read_text() == ""
    refused = run_inside("tree", url.replace("h.zarr", "absent"), *arguments)
    assert (refused.status, refused.stderr.count("\n")) == (1, 1)
