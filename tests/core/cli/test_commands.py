"""The command line as a person and a script use it."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest
import tifffile
import zarr

import zarrcore
from tests.command import Outcome
from tests.core.filetypes.tiff.pyramids import AXES, halved, ngff, written
from zarrcore.filetypes import SUFFIXES, TEXT_SUFFIXES

DATA = np.arange(4 * 30 * 40, dtype="i4").reshape(4, 30, 40)
Run = Callable[..., Outcome]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "data.zarr"
    group = zarr.open_group(path, mode="w", zarr_format=3)
    array = group.create_group("images").create_array(
        "stack", data=DATA, chunks=(1, 15, 20), dimension_names=["z", "y", "x"]
    )
    array.attrs["unit"] = "µm"
    (path / "odd").mkdir()
    (path / "odd/zarr.json").write_text('{"zarr_format": 3, "node_type": "array"}')
    return path


def test_tree(zarrscope: Run, source: Path) -> None:
    shown = zarrscope("tree", source)
    assert shown.status == 1, "a node that cannot be opened"
    lines = shown.text.splitlines()
    assert lines[0] == "/"
    assert lines[1] == "├── images"
    assert lines[2] == "│   └── stack  4 × 30 × 40  int32  18.8 KiB"
    assert lines[3].startswith("└── odd  odd/zarr.json: shape: the member is missing")
    assert zarrscope("tree", source, "images", "--depth", "0").text == "/images\n"


def test_tree_json(zarrscope: Run, source: Path) -> None:
    nodes = [json.loads(line) for line in zarrscope("tree", source, "--json").text.splitlines()]
    assert [node["path"] for node in nodes] == ["/", "/images", "/images/stack", "/odd"]
    assert nodes[2] == {
        "path": "/images/stack",
        "kind": "array",
        "shape": [4, 30, 40],
        "data_type": "int32",
        "chunk_shape": [1, 15, 20],
        "nbytes": DATA.nbytes,
    }
    assert "missing" in nodes[3]["error"]


def test_info(zarrscope: Run, source: Path) -> None:
    shown = zarrscope("info", source, "images/stack")
    assert shown.status == 0
    for words in (
        "4 × 30 × 40",
        "z, y, x",
        "int32",
        "4,800 elements, 18.8 KiB",
        "zstd",
        "Zarr v3",
        "µm",
        "16  (4 × 2 × 2)",
    ):
        assert words in shown.text, words
    assert zarrscope("info", f"{source}#/images/stack").text == shown.text
    told = json.loads(zarrscope("info", source, "images/stack", "--json").text)
    assert told["metadata"]["shape"] == [4, 30, 40]
    assert told["uri"].endswith("data.zarr#/images/stack")
    assert zarrscope("info", source, "odd").status == 1


def test_ls(zarrscope: Run, source: Path) -> None:
    assert sorted(zarrscope("ls", source).text.split()) == ["images/", "odd/", "zarr.json"]
    keys = zarrscope("ls", source, "images/stack", "-r").text.split()
    assert len(keys) == 17
    assert "images/stack/c/3/1/1" in keys
    long = zarrscope("ls", source, "images/stack/zarr.json", "-l").text.split()
    assert long[0] == str((source / "images/stack/zarr.json").stat().st_size)
    entries = [json.loads(line) for line in zarrscope("ls", source, "--json").text.splitlines()]
    assert {"key": "images/", "size": None, "mtime_s": None} in entries


def test_cat_to_standard_output(zarrscope_process: Run, source: Path) -> None:
    raw = zarrscope_process("cat", source, "images/stack", "--select", "z=2,y=3-9")
    assert raw.stdout == DATA[2, 3:9].tobytes()
    npy = zarrscope_process("cat", source, "images/stack", "--select", "-1,:,::2", "--as", "npy")
    assert np.array_equal(np.load(io.BytesIO(npy.stdout)), DATA[-1, :, ::2])


def test_cat_to_a_file_takes_the_type_from_its_name(zarrscope: Run, source: Path, tmp_path: Path) -> None:
    for name in ("a.npy", "a.raw", "a.dat"):
        assert zarrscope("cat", source, "images/stack", "-o", tmp_path / name).status == 0
    assert np.array_equal(np.load(tmp_path / "a.npy"), DATA)
    assert (tmp_path / "a.raw").read_bytes() == (tmp_path / "a.dat").read_bytes() == DATA.tobytes()
    assert zarrscope("cat", source, "images/stack", "--select", "0", "-o", tmp_path / "a.png").status == 0
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    for suffix, magic in (("tiff", b"II\x2b\0"), ("nrrd", b"NRRD0004\n")):
        assert zarrscope("cat", source, "images/stack", "-o", tmp_path / f"a.{suffix}").status == 0
        assert (tmp_path / f"a.{suffix}").read_bytes().startswith(magic)
    assert (tmp_path / "a.npy").stat().st_mode & 0o777 == (tmp_path / "a.raw").stat().st_mode & 0o777


def test_a_failed_cat_leaves_the_old_file(zarrscope: Run, tmp_path: Path) -> None:
    zarr.create_array(tmp_path / "x.zarr", data=DATA, chunks=(1, 30, 40))
    (tmp_path / "x.zarr/c/3/0/0").write_bytes(b"cut")
    target = tmp_path / "x.npy"
    target.write_text("precious")
    failed = zarrscope("cat", tmp_path / "x.zarr", "-o", target)
    assert failed.status == 1
    assert failed.stderr.startswith("zarrscope: c/3/0/0: zstd: ")
    assert target.read_text() == "precious"
    assert [path.name for path in tmp_path.iterdir()] == ["x.zarr", "x.npy"] or len(
        list(tmp_path.iterdir())
    ) == 2


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("tree", "{tmp}/absent"), 1, "absent"),
        (("tree", "{tmp}"), 1, "holds no hierarchy: none of zarr.json"),
        (("info", "{source}", "nothing/here"), 1, "no node /nothing/here in"),
        (("info", "{source}", "../x"), 2, "'..'"),
        (("ls", "{source}", "nothing"), 1, "nothing"),
        (("cat", "{source}", "images"), 2, "is a group"),
        (
            ("cat", "{source}", "images/stack", "--select", "9"),
            2,
            "dimension 0: indices must be in [0, 4), found 9",
        ),
        (
            ("cat", "{source}", "images/stack", "--select", "q=1"),
            2,
            "expected the name of one dimension, found 'q'",
        ),
        (("cat", "{source}", "images/stack", "--as", "jpg"), 2, "file type 'jpg' is unknown"),
        (("cat", "{source}", "images/stack", "--as", "png"), 1, "is no picture"),
        (
            ("cat", "{source}", "images/stack", "-o", "{tmp}/no/such/folder/a.raw"),
            1,
            "No such file or directory",
        ),
        (("tree", "{source}", "--format", "v7"), 2, "format 'v7' is unknown"),
        (("tree", "{source}", "--depth", "-1"), 2, "expected 0 or more"),
        (("tree", "gopher://x"), 1, "gopher"),
        (("tree",), 2, "SOURCE"),
        (("fly",), 2, "fly"),
    ],
)
def test_errors_are_one_line(
    zarrscope: Run, source: Path, tmp_path: Path, arguments: tuple[str, ...], status: int, words: str
) -> None:
    failed = zarrscope(*(argument.format(source=source, tmp=tmp_path) for argument in arguments))
    assert failed.status == status
    assert words in failed.stderr
    assert "Traceback" not in failed.stderr
    if "usage:" not in failed.stderr:
        assert failed.stderr.startswith("zarrscope: ")
        assert failed.stderr.count("\n") == 1


def test_names_from_strangers_reach_a_terminal_harmless(zarrscope: Run, tmp_path: Path) -> None:
    root = tmp_path / "odd.zarr"
    zarr.create_group(root).create_group(":smile: [bold]x[red]")
    (root / "a\x1b[31m\nb").mkdir()
    (root / "a\x1b[31m\nb/zarr.json").write_text("{")
    shown = zarrscope("tree", root)
    assert ":smile: [bold]x[red]" in shown.text
    assert "\x1b" not in shown.text + shown.stderr
    assert len(shown.text.splitlines()) == 3
    missing = zarrscope("info", root, "\x1b[31m")
    assert "\x1b" not in missing.stderr


def test_names_that_are_no_text(tmp_path: Path) -> None:
    root = tmp_path / "odd.zarr"
    zarr.create_group(root)
    (root / "bad\udcff").mkdir()
    program = "import sys; from zarrcore.cli.main import main; print(*map(main, eval(sys.argv[1])))"
    commands = [[*words, str(root)] for words in (["tree"], ["tree", "--json"], ["ls"], ["ls", "--json"])]
    command = [sys.executable, "-c", program, ascii(commands)]
    done = subprocess.run(command, capture_output=True, timeout=60)
    assert done.stderr == b""
    assert done.stdout.splitlines()[-1] == b"0 0 0 0"


def test_a_tree_of_a_thousand_levels(zarrscope: Run, tmp_path: Path) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "deep.zip", "w") as archive:
        archive.writestr("zarr.json", '{"zarr_format": 3, "node_type": "group"}')
        archive.writestr("a/" * 1500 + "zarr.json", '{"zarr_format": 3, "node_type": "group"}')
    assert len(zarrscope("tree", tmp_path / "deep.zip").text.splitlines()) == 1501


def test_output_through_a_link_keeps_the_link(zarrscope: Run, source: Path, tmp_path: Path) -> None:
    (tmp_path / "link.raw").symlink_to("target.raw")
    assert zarrscope("cat", source, "images/stack", "-o", tmp_path / "link.raw").status == 0
    assert (tmp_path / "link.raw").is_symlink()
    assert (tmp_path / "target.raw").read_bytes() == DATA.tobytes()


def test_debug_shows_where(zarrscope: Run, tmp_path: Path) -> None:
    assert "Traceback" in zarrscope("--debug", "tree", tmp_path).stderr


def test_a_reader_that_has_seen_enough_is_no_error(source: Path) -> None:
    command = f"{Path(sys.executable).with_name('zarrscope')} cat {source} images/stack | head -c 10 | wc -c"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, timeout=60
    )
    assert done.stdout.strip() == "10"
    assert done.stderr == ""


def test_help_does_not_load_what_is_heavy() -> None:
    program = "import sys; from zarrcore.cli.main import _parser; _parser(); print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    ).stdout
    heavy = {"numpy", "numcodecs", "obstore", "httpx", "rich", "PySide6", "pyfuse3", "trio", "pyqtgraph"}
    assert heavy & set(loaded.split()) == set()


@pytest.mark.parametrize("suffix", ["hdf5", "h5", "netcdf", "nc"])
def test_cat_writes_all_of_a_group(zarrscope: Run, source: Path, tmp_path: Path, suffix: str) -> None:
    target = tmp_path / "all"
    assert zarrscope("cat", source, "--as", suffix, "-o", target).status == 0
    named = tmp_path / f"named.{suffix}"
    assert zarrscope("cat", source, "images/stack", "-o", named).status == 0
    with h5py.File(target) as file:
        assert np.array_equal(file["images/stack"], DATA)
        assert file["images/stack"].dims[1][0].name == "/images/y"
        (told,) = file.attrs["_zarrscope_left_out"]
        assert told.startswith("/odd: odd/zarr.json: shape: ")
    with h5py.File(named) as file:
        assert np.array_equal(file["stack"], DATA)


def test_cat_writes_groups_only_as_what_holds_them(zarrscope: Run, source: Path, tmp_path: Path) -> None:
    refused = zarrscope("cat", source, "images", "-o", tmp_path / "a.npy")
    assert (refused.status, "--as hdf5" in refused.stderr) == (2, True)
    refused = zarrscope("cat", source, "images/stack", "--select", "0", "-o", tmp_path / "a.h5")
    assert (refused.status, "leave --select out" in refused.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", ["ometiff", "ome.tiff", "ome.tif"])
def test_cat_of_an_array_as_ome_tiff(zarrscope: Run, source: Path, tmp_path: Path, suffix: str) -> None:
    by_name, told = tmp_path / "a.ome.tiff", tmp_path / "told"
    written = zarrscope("cat", source, "images/stack", "--as", suffix, "--select", "1:", "--output", told)
    assert written.status == 0, written.stderr
    with tifffile.TiffFile(told) as file:
        assert (file.is_ome, file.series[0].axes) == (True, "ZYX")
        assert np.array_equal(file.asarray(), DATA[1:])
    if suffix != "ometiff":
        assert zarrscope("cat", source, "images/stack", "--output", tmp_path / f"a.{suffix}").status == 0
        assert np.array_equal(tifffile.imread(tmp_path / f"a.{suffix}"), DATA)
    assert by_name.exists() == (suffix == "ome.tiff")


def test_cat_of_an_image_in_levels(zarrscope: Run, source: Path, tmp_path: Path) -> None:
    levels = halved((2, 600, 500), "u2", 3)
    written(tmp_path / "a.zarr", levels, ngff([*AXES[1:2], *AXES[3:]], 3))
    done = zarrscope("cat", tmp_path / "a.zarr", "-o", tmp_path / "a.ome.tiff")
    assert done.status == 0, done.stderr
    with tifffile.TiffFile(tmp_path / "a.ome.tiff") as file:
        assert len(file.pages) == 2
        for level, data in zip(file.series[0].levels, levels, strict=True):
            assert np.array_equal(level.asarray(), data)
    assert zarrscope("cat", tmp_path / "a.zarr", "1", "-o", tmp_path / "b.ome.tiff").status == 0
    with tifffile.TiffFile(tmp_path / "b.ome.tiff") as file:
        assert np.array_equal(file.asarray(), levels[1])
        assert 'PhysicalSizeX="130.0"' in file.ome_metadata
    refused = zarrscope("cat", tmp_path / "a.zarr", "--as", "ometiff", "--select", "0", "-o", tmp_path / "b")
    assert (refused.status, "leave --select out" in refused.stderr) == (2, True)
    refused = zarrscope("cat", source, "images", "--as", "ometiff", "-o", tmp_path / "b")
    assert (refused.status, "is not an image in levels" in refused.stderr) == (2, True)
    assert not (tmp_path / "b").exists()


def test_help_and_errors_name_the_same_file_types(zarrscope: Run, source: Path, tmp_path: Path) -> None:
    told = re.search(r"known are (.*)", zarrscope("cat", source, "images/stack", "--as", "bmp").stderr)
    assert told is not None
    types = told[1].split(", ")
    assert zarrscope("cat", source, "images", "--as", "bmp").stderr == f"zarrscope: {told.string[11:]}"
    shown = " ".join(zarrscope("cat", "--help").text.split())
    assert f"{', '.join(types[:-1])} or {types[-1]} (default" in shown
    registered = {*SUFFIXES, *TEXT_SUFFIXES, "hdf5", "netcdf"}
    assert {{"ometiff": "ome.tiff"}.get(name, name) for name in types} == registered
    for name in {*types, "tif", "ome.tif", "ome.tiff", "h5", "nc"}:
        target = tmp_path / f"file.{name}"
        select = () if name in {"hdf5", "h5", "netcdf", "nc"} else ("--select", "0")
        assert zarrscope("cat", source, "images/stack", *select, "-o", target).status == 0
        asked = zarrscope("cat", source, "images/stack", *select, "--as", name, "-o", tmp_path / "asked")
        assert (asked.status, asked.stderr) == (0, "")
        assert (tmp_path / "asked").read_bytes() == target.read_bytes()
    assert (tmp_path / "file.tif").read_bytes() == (tmp_path / "file.tiff").read_bytes()


def test_zip_files_of_ome_ngff(zarrscope: Run, source: Path, tmp_path: Path) -> None:
    """``.ozx`` is a zip file (RFC 9), to read and to write."""
    place = tmp_path / "image.ozx"
    assert zarrscope("copy", f"{source}#/images", place).status == 0
    with zarr.storage.ZipStore(place, mode="r") as store:
        np.testing.assert_array_equal(zarr.open_group(store, mode="r")["stack"][...], DATA)
    assert "stack" in zarrscope("tree", place).text
    assert zarrscope("check", place, "--strict").status == 0


def test_dates_without_a_unit_are_shown_as_counts(zarrscope: Run, tmp_path: Path) -> None:
    array = zarrcore.create(tmp_path / "a.zarr").create_array("a", shape=(3,), data_type="datetime64")
    array[...] = np.array([1, -2, -(2**63)]).view("M8")
    assert zarrscope("cat", tmp_path / "a.zarr", "a", "--as", "json").text == "[1, -2, null]\n"
    assert zarrscope("cat", tmp_path / "a.zarr", "a", "--as", "csv").text == '1\n-2\n""\n'
    assert zarrscope("info", tmp_path / "a.zarr", "a").status == 0
