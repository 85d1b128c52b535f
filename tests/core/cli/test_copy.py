"""``zarrscope copy``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import zarr

from tests.command import Run
from tests.core.cli.arrays import DATA, NUMBERS
from tests.servers import S3Server


def test_zip_files_of_ome_ngff(zarrscope: Run, source: Path, tmp_path: Path) -> None:
    """``.ozx`` is a zip file (RFC 9), to read and to write."""
    place = tmp_path / "image.ozx"
    assert zarrscope("copy", f"{source}#/images", place).status == 0
    with zarr.storage.ZipStore(place, mode="r") as store:
        np.testing.assert_array_equal(zarr.open_group(store, mode="r")["stack"][...], DATA)
    assert "stack" in zarrscope("tree", place).text
    checked = zarrscope("check", place)
    assert checked.status == 0
    assert "RFC 9: the root's zarr.json has no attribute ome.version: this is not OME-Zarr" in checked.text


def test_copy(zarrscope: Run, hierarchy: Path, tmp_path: Path) -> None:
    done = zarrscope(
        "copy", hierarchy, tmp_path / "t", "--to", "v2", "--chunks", "2,-1,10", "--codec", "gzip:3"
    )
    assert (done.status, done.stderr) == (0, "")
    assert done.text.startswith("2 arrays, 18.9 KiB, copied to ")
    copied = zarr.open_group(tmp_path / "t", mode="r")
    assert np.array_equal(copied["images/stack"][...], NUMBERS)
    assert copied["images/stack"].chunks == (2, 30, 10)
    assert copied["images/stack"].compressors[0].get_config() == {"id": "gzip", "level": 3}
    assert copied["line"].chunks == (7,), "it has another number of dimensions"


def test_copy_names_keys_that_it_does_not_copy(zarrscope: Run, hierarchy: Path, tmp_path: Path) -> None:
    for name in ("images/a\nb", "notes", "x", "y"):
        (hierarchy / name).write_text("mine")
    done = zarrscope("copy", hierarchy, tmp_path / "t", "--quiet")
    assert (done.status, done.text) == (1, "")
    assert done.stderr.startswith(f"zarrscope: {hierarchy}#/: 4 keys belong to no node and were not copied: ")
    assert done.stderr.endswith(", … (zarrscope check says more)\n")
    assert done.stderr.count("\n") == 1
    told = json.loads(zarrscope("copy", hierarchy, tmp_path / "u", "--json").text)
    assert (told["array_count"], told["left_key_count"], len(told["example_keys"])) == (2, 4, 3)
    done = zarrscope("copy", f"{hierarchy}#/images", tmp_path / "v")
    assert (done.status, done.stderr.count("1 key belongs to no node and was not copied: images/a")) == (1, 1)


def test_copy_of_a_part(zarrscope: Run, hierarchy: Path, tmp_path: Path) -> None:
    told = json.loads(zarrscope("copy", f"{hierarchy}#/images", tmp_path / "t", "--json").text)
    assert (told["source"], told["path"], told["array_count"]) == (str(hierarchy), "/images", 1)
    assert np.array_equal(zarr.open_array(tmp_path / "t/stack", mode="r")[...], NUMBERS)
    assert zarrscope("copy", f"{hierarchy}#/nothing", tmp_path / "u").stderr.startswith(
        "zarrscope: no node /nothing in "
    )
    assert not (tmp_path / "u").exists()


@pytest.mark.parametrize(
    ("codec", "names"),
    [
        ("none", ["bytes"]),
        ("zstd:7", ["bytes", "zstd"]),
        ("blosc:3", ["bytes", "blosc"]),
        ("lz4", ["bytes", "numcodecs.lz4"]),
        ('[{"name": "gzip", "configuration": {"level": 1}}, "crc32c"]', ["bytes", "gzip", "crc32c"]),
    ],
)
def test_copy_with_other_codecs(
    zarrscope: Run, hierarchy: Path, tmp_path: Path, codec: str, names: list[str]
) -> None:
    done = zarrscope("copy", hierarchy, tmp_path / "t", "--codec", codec, "--shards", "4,30,40")
    assert (done.status, done.stderr) == (0, "")
    (sharding,) = json.loads((tmp_path / "t/images/stack/zarr.json").read_text())["codecs"]
    assert [codec["name"] for codec in sharding["configuration"]["codecs"]] == names
    assert np.array_equal(zarr.open_array(tmp_path / "t/images/stack", mode="r")[...], NUMBERS)


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("--to", "v7"), 2, "format 'v7' is unknown"),
        (("--chunks", "1,x"), 2, "expected lengths such as 64,64,64"),
        (("--chunks", "1,0,1"), 2, "expected lengths"),
        (("--chunks", "1,1"), 2, "no array has as many"),
        (("--memory", "much"), 2, "expected a size such as 512M"),
        (("--memory", "1K", "--codec", "none"), 1, "allow more, or make chunks smaller"),
        (("--codec", "zstd:x"), 2, "expected a codec"),
        (("--codec", "{"), 2, "not JSON"),
        (("--codec", "[" * 90_000), 2, "not JSON"),
        (("--codec", "unheard"), 2, "--codec: codec 'unheard' is not supported\n"),
        (("--codec", "blosc:99"), 2, "--codec: "),
    ],
)
def test_impossible_copies_are_refused(
    zarrscope: Run, hierarchy: Path, tmp_path: Path, arguments: tuple[str, ...], status: int, words: str
) -> None:
    failed = zarrscope("copy", hierarchy, tmp_path / "t", *arguments)
    assert (failed.status, words in failed.stderr) == (status, True), failed.stderr
    assert not (tmp_path / "t").exists()


def test_a_destination_that_is_taken(zarrscope: Run, hierarchy: Path, tmp_path: Path) -> None:
    assert zarrscope("copy", hierarchy, tmp_path / "t").status == 0
    failed = zarrscope("copy", hierarchy, tmp_path / "t")
    assert failed.status == 1
    assert "--overwrite" in failed.stderr
    assert failed.stderr.count("\n") == 1
    assert zarrscope("copy", hierarchy, tmp_path / "t", "--overwrite").status == 0
    assert zarrscope("copy", hierarchy, f"{tmp_path}/u#/node").status == 2
    assert zarrscope("copy", hierarchy, hierarchy).status == 2


def test_a_destination_inside_the_source_is_not_made(zarrscope: Run, hierarchy: Path, tmp_path: Path) -> None:
    for inside in (hierarchy / "part", tmp_path / "link" / "part"):
        (tmp_path / "link").unlink(missing_ok=True)
        (tmp_path / "link").symlink_to(hierarchy)
        failed = zarrscope("copy", hierarchy, inside)
        assert (failed.status, "one is inside the other" in failed.stderr) == (2, True)
        assert not inside.exists()


def test_to_a_bucket_and_back(zarrscope: Run, hierarchy: Path, tmp_path: Path, s3: S3Server) -> None:
    there = zarrscope("copy", hierarchy, "s3://bucket/copied", *s3.arguments, "--to", "v2", "--consolidate")
    assert (there.status, there.stderr) == (0, "")
    checked = zarrscope("check", "s3://bucket/copied", *s3.arguments)
    assert checked.text == "nothing wrong  (22 chunks of 2 arrays decoded)\n"
    assert zarrscope("copy", "s3://bucket/copied", tmp_path / "back", *s3.arguments, "--to", "v3").status == 0
    assert np.array_equal(zarr.open_array(tmp_path / "back/images/stack", mode="r")[...], NUMBERS)
    taken = zarrscope("copy", hierarchy, "s3://bucket/copied", *s3.arguments)
    assert "a hierarchy of Zarr v2" in taken.stderr
