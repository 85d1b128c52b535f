"""``zarrscope copy``, ``check`` and ``info --storage`` as a person and a script use them."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import zarr

from tests.command import Outcome
from tests.servers import S3Server

DATA = np.arange(1, 4 * 30 * 40 + 1, dtype="i4").reshape(4, 30, 40)
Run = Callable[..., Outcome]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    root = zarr.create_group(tmp_path / "source.zarr")
    root.create_group("images").create_array(
        "stack", data=DATA, chunks=(1, 15, 20), dimension_names=["z", "y", "x"]
    )
    root.create_array("line", data=DATA[0, 0], chunks=(7,))
    return tmp_path / "source.zarr"


def test_info_counts_the_stored_chunks(zarrscope: Run, source: Path) -> None:
    (source / "images/stack/c/0/0/0").unlink()
    stored = sum(file.stat().st_size for file in (source / "images/stack/c").rglob("*") if file.is_file())
    shown = zarrscope("info", source, "images/stack", "--storage").text
    assert "15 of 16  (1 missing, which read as the fill value)" in shown
    told = json.loads(zarrscope("info", source, "images/stack", "--storage", "--json").text)["storage"]
    assert (told["chunks"], told["present"], told["missing"], told["stored_bytes"]) == (16, 15, 1, stored)
    assert told["ratio"] == pytest.approx(DATA.nbytes * 15 / 16 / stored)
    (source / "images/stack/c/9/0").mkdir(parents=True)
    (source / "images/stack/c/9/0/0").write_bytes(b"x")
    assert "1 chunk, 1 byte: left from" in zarrscope("info", source, "images/stack", "--storage").text
    assert "storage" not in json.loads(zarrscope("info", source, "--storage", "--json").text), "of a group"


def test_check_without_fault(zarrscope: Run, source: Path) -> None:
    done = zarrscope("check", source)
    assert (done.status, done.stderr) == (0, "")
    assert done.text == "nothing wrong  (22 chunks of 2 arrays decoded)\n"
    assert zarrscope("check", source, "line").text == "nothing wrong  (6 chunks of 1 array decoded)\n"
    assert zarrscope("check", source, "--no-decode").text.endswith("(22 chunks of 2 arrays found)\n")
    zarr.open_group(source).create_array("empty", shape=(3, 0), dtype="i4")
    assert zarrscope("check", source).text == "nothing wrong  (22 chunks of 3 arrays decoded)\n"
    assert zarrscope("cat", source, "empty", "--as", "json").text == "[[], [], []]\n"


def test_check_prints_errors_and_warnings(zarrscope: Run, source: Path) -> None:
    (source / "images/stack/c/0/0/0").write_bytes(b"broken")
    (source / "line/c/3").unlink()
    (source / "line/notes").write_bytes(b"")
    done = zarrscope("check", source)
    assert done.status == 1
    lines = done.text.splitlines()
    assert lines[0].startswith("error    images/stack/c/0/0/0  zstd: ")
    assert lines[1].startswith("warning  line/notes  ")
    assert lines[2].startswith("note     /line  1 of 6 chunks")
    assert lines[3].startswith("1 error, 1 warning, 1 note  (")
    told = json.loads(zarrscope("check", source, "--json").text)
    assert (told["errors"], told["warnings"], told["notes"], told["decoded"]) == (1, 1, 1, True)
    assert (told["format"], told["arrays"], told["chunks"]) == ("v3", 2, 21)
    assert set(told["findings"][0]) == {"severity", "what", "path", "key", "count", "sentence"}
    assert [finding["what"] for finding in told["findings"]] == [
        "broken-chunk",
        "stray-key",
        "missing-chunks",
    ]
    assert zarrscope("check", source, "line").status == 0, "warnings do not fail"
    assert zarrscope("check", source, "line", "--strict").status == 1
    assert len(zarrscope("check", source, "--quiet").text.splitlines()) == 3


def test_copy(zarrscope: Run, source: Path, tmp_path: Path) -> None:
    done = zarrscope("copy", source, tmp_path / "t", "--to", "v2", "--chunks", "2,-1,10", "--codec", "gzip:3")
    assert (done.status, done.stderr) == (0, "")
    assert done.text.startswith("2 arrays, 18.9 KiB, copied to ")
    copied = zarr.open_group(tmp_path / "t", mode="r")
    assert np.array_equal(copied["images/stack"][...], DATA)
    assert copied["images/stack"].chunks == (2, 30, 10)
    assert copied["images/stack"].compressors[0].get_config() == {"id": "gzip", "level": 3}
    assert copied["line"].chunks == (7,), "it has another number of dimensions"


def test_copy_names_keys_that_it_does_not_copy(zarrscope: Run, source: Path, tmp_path: Path) -> None:
    for name in ("images/a\nb", "notes", "x", "y"):
        (source / name).write_text("mine")
    done = zarrscope("copy", source, tmp_path / "t", "--quiet")
    assert (done.status, done.text) == (1, "")
    assert done.stderr.startswith(f"zarrscope: {source}#/: 4 keys belong to no node and were not copied: ")
    assert done.stderr.endswith(", … (zarrscope check says more)\n")
    assert done.stderr.count("\n") == 1
    told = json.loads(zarrscope("copy", source, tmp_path / "u", "--json").text)
    assert (told["arrays"], told["left_keys"], len(told["left_examples"])) == (2, 4, 3)
    done = zarrscope("copy", source, tmp_path / "v", "--path", "images")
    assert (done.status, done.stderr.count("1 key belongs to no node and was not copied: images/a")) == (1, 1)


def test_copy_of_a_part(zarrscope: Run, source: Path, tmp_path: Path) -> None:
    for number, arguments in enumerate(((f"{source}#/images",), (source, "-p", "images"))):
        target = tmp_path / f"t{number}"
        done = zarrscope("copy", arguments[0], target, *arguments[1:], "--json")
        assert json.loads(done.text)["arrays"] == 1
        assert np.array_equal(zarr.open_array(target / "stack", mode="r")[...], DATA)


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
@pytest.mark.filterwarnings("ignore:Numcodecs codecs")
def test_copy_with_other_codecs(
    zarrscope: Run, source: Path, tmp_path: Path, codec: str, names: list[str]
) -> None:
    done = zarrscope("copy", source, tmp_path / "t", "--codec", codec, "--shards", "4,30,40")
    assert (done.status, done.stderr) == (0, "")
    (sharding,) = json.loads((tmp_path / "t/images/stack/zarr.json").read_text())["codecs"]
    assert [codec["name"] for codec in sharding["configuration"]["codecs"]] == names
    assert np.array_equal(zarr.open_array(tmp_path / "t/images/stack", mode="r")[...], DATA)


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("--to", "v7"), 2, "format 'v7' is unknown"),
        (("--chunks", "1,x"), 2, "expected lengths such as 64,64,64"),
        (("--chunks", "1,0,1"), 2, "expected lengths"),
        (("--chunks", "1,1"), 2, "no array has as many"),
        (("--memory", "much"), 2, "expected a size such as 512M"),
        (("--memory", "1K"), 1, "allow more, or make chunks smaller"),
        (("--codec", "zstd:x"), 2, "expected a codec"),
        (("--codec", "{"), 2, "not JSON"),
        (("--codec", "unheard"), 1, "'unheard'"),
        (("--path", "nothing"), 1, "no node /nothing"),
    ],
)
def test_impossible_copies_are_refused(
    zarrscope: Run, source: Path, tmp_path: Path, arguments: tuple[str, ...], status: int, words: str
) -> None:
    failed = zarrscope("copy", source, tmp_path / "t", *arguments)
    assert (failed.status, words in failed.stderr) == (status, True), failed.stderr
    assert not (tmp_path / "t").exists()


def test_a_destination_that_is_taken(zarrscope: Run, source: Path, tmp_path: Path) -> None:
    assert zarrscope("copy", source, tmp_path / "t").status == 0
    failed = zarrscope("copy", source, tmp_path / "t")
    assert failed.status == 1
    assert "--overwrite" in failed.stderr
    assert failed.stderr.count("\n") == 1
    assert zarrscope("copy", source, tmp_path / "t", "--overwrite").status == 0
    assert zarrscope("copy", source, f"{tmp_path}/u#/node").status == 2
    assert zarrscope("copy", source, source).status == 2


def test_to_a_bucket_and_back(zarrscope: Run, source: Path, tmp_path: Path, s3: S3Server) -> None:
    there = zarrscope("copy", source, "s3://bucket/copied", *s3.arguments, "--to", "v2", "--consolidate")
    assert (there.status, there.stderr) == (0, "")
    checked = zarrscope("check", "s3://bucket/copied", *s3.arguments)
    assert checked.text == "nothing wrong  (22 chunks of 2 arrays decoded)\n"
    assert zarrscope("copy", "s3://bucket/copied", tmp_path / "back", *s3.arguments, "--to", "v3").status == 0
    assert np.array_equal(zarr.open_array(tmp_path / "back/images/stack", mode="r")[...], DATA)
    taken = zarrscope("copy", source, "s3://bucket/copied", *s3.arguments)
    assert "a hierarchy of Zarr v2" in taken.stderr


@pytest.mark.parametrize("command", ["copy", "check"])
def test_a_bar_is_shown_on_a_terminal_only(source: Path, tmp_path: Path, command: str) -> None:
    program = Path(sys.executable).with_name("zarrscope")
    arguments = [program, command, source, *([tmp_path / "t"] if command == "copy" else [])]
    master, slave = pty.openpty()
    try:
        done = subprocess.run(
            arguments,
            stdout=subprocess.PIPE,
            stderr=slave,
            timeout=60,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "200"},
        )
        os.set_blocking(master, False)
        shown = os.read(master, 1 << 20).decode()
    finally:
        os.close(master)
        os.close(slave)
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout
    assert "━" in shown
