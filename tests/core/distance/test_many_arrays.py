"""Requests of copies, checks and measures of many arrays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import zarrcore
from tests.command import Run
from tests.core.distance.asked import ARRAYS, GROUPS, NODES, NUMBERS, PLANE, listings
from tests.servers.distant import DistantServer
from zarrcore.errors import BrokenBodyError
from zarrcore.operations.check import check
from zarrcore.stores import open_store


class TestManyArrays:
    """A hierarchy of 80 small arrays, of which one has chunks."""

    def test_a_copy_lists_once_what_it_copies(
        self, server: DistantServer, zarrscope: Run, tmp_path: Path
    ) -> None:
        source = ["s3://bucket/v3", "--endpoint-url", server.url, "--region", "us-east-1", "--anonymous"]
        assert zarrscope("tree", *source).status == 0
        walked = listings(server)
        server.forget()
        server.delay_s = 0.05
        assert zarrscope("copy", source[0], tmp_path / "copy.zarr", *source[1:]).status == 0
        assert listings(server) == walked + 1
        assert server.round_trips <= 20, "not one for each array"
        np.testing.assert_array_equal(zarrcore.open_hierarchy(tmp_path / "copy.zarr")["plane"][...], PLANE)

    def test_a_copy_reads_back_only_what_the_bucket_does_not_attest(
        self, server: DistantServer, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def copied() -> int:
            """The number of chunks that were read back."""
            bucket = f"attested{next(NUMBERS)}"
            store = open_store(f"s3://{bucket}/inside", create=True, **server.s3_options)  # type: ignore[arg-type]
            zarrcore.copy(zarrcore.open_hierarchy(root / "bucket/v3"), store)
            np.testing.assert_array_equal(
                zarrcore.open_hierarchy(root / bucket / "inside")["plane"][...], PLANE
            )
            return sum(method == "GET" and "/c/" in target for method, target in server.requests)

        assert copied() == 0
        monkeypatch.setattr(server, "attests", False)
        assert copied() == 2 + 256
        monkeypatch.setattr(server, "attests", True)
        monkeypatch.setattr(server, "received", lambda body: body[:-1] + b"-" if len(body) < 400 else body)
        with pytest.raises(BrokenBodyError, match="does not read back as it was written"):
            copied()

    def test_small_arrays_are_checked_together(self, server: DistantServer) -> None:
        hierarchy = zarrcore.open_hierarchy("s3://bucket/v3", **server.s3_options)
        server.delay_s = 0.05
        found = [finding.path for finding in check(hierarchy)]
        assert found == sorted(found), "in the order of the walk"
        assert f"/g{GROUPS - 1}/a{ARRAYS - 1:02}" in found, "an array without chunks"
        assert server.round_trips <= NODES, "not two for each array"
