"""The table in ``core/docs/security.md``: which names in data are followed, through library, collection, mount and server.

Each row has a source in ``up`` that names something in ``secret``, a folder beside it, or on a server.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import h5py
import icechunk
import nibabel
import numpy as np
import pytest

import zarrcore as zc
from tests.core.stores.icechunk.test_virtual_chunks import write as write_repository
from tests.core.stores.nrrd.test_store import write as write_nrrd
from tests.core.stores.tiff.files import written
from tests.servers.faults import FaultServer, fault_server
from tests.zfs.conftest import Mounter, mounting
from tests.zfs.http.serving import get
from tests.zfs.http.test_cli import serve
from zarrcore.errors import ZarrError

SECRET = b"TOP-SECRET-BYTES"
VALUES = np.frombuffer(SECRET, "u1")
DOCUMENT = Path(__file__).parents[3] / "core" / "docs" / "security.md"


class Case(NamedTuple):
    """A source that names something outside of itself."""

    source: str
    """Its path below ``up``, or its URL."""
    array: str
    """The array whose elements are, at least in part, what is named."""
    allowed: tuple[str, ...] = ()
    """What must be allowed for the name to be tried at all."""


class Places(NamedTuple):
    """Where the cases are."""

    up: Path
    secret: Path
    server: FaultServer
    other: FaultServer


def outcomes() -> dict[str, tuple[str, str]]:
    """The rows of the table: name to outcomes at both levels, each ``read`` or ``refused``."""
    _, _, section = DOCUMENT.read_text("utf-8").partition("## Names in data")
    rows = [line.strip("| ").split(" | ") for line in section.partition("What the rule says")[0].splitlines()]
    told = [row for row in rows if len(row) == 4][2:]
    return {name: (own.partition(":")[0], shared.partition(":")[0]) for name, _, own, shared in told}


def _link(places: Places) -> Case:
    array = zc.create(places.up / "z.zarr").create_array("x", shape=(16,), dtype="uint8", codecs=["bytes"])
    array[...] = 1
    chunk = places.up / "z.zarr/x/c/0"
    chunk.unlink()
    chunk.symlink_to(places.secret / "s")
    return Case("z.zarr", "x")


def _external_storage(places: Places) -> Case:
    with h5py.File(places.up / "a.h5", "w") as file:
        file.create_dataset("x", (16,), "u1", external=[("../secret/s", 0, 16)])
    return Case("a.h5", "x")


def _external_link(places: Places) -> Case:
    with h5py.File(places.up / "b.h5", "w") as file:
        file["x"] = h5py.ExternalLink(str(places.secret / "s.h5"), "/x")
    return Case("b.h5", "x")


def _virtual_dataset(places: Places) -> Case:
    with h5py.File(places.up / "c.h5", "w") as file:
        layout = h5py.VirtualLayout((16,), "u1")
        layout[:] = h5py.VirtualSource("../secret/s.h5", "x", (16,))
        file.create_virtual_dataset("x", layout)
    return Case("c.h5", "x")


def _nrrd(places: Places) -> Case:
    fields = {"type": "uchar", "dimension": "1", "sizes": "16", "data_file": str(places.secret / "s")}
    write_nrrd(places.up / "a.nhdr", "", **fields)
    return Case("a.nhdr", "0")


def _nifti(places: Places) -> Case:
    image = nibabel.Nifti1Pair(VALUES.reshape(4, 4, 1), np.eye(4))
    nibabel.save(image, places.secret / "n.hdr")
    os.rename(places.secret / "n.hdr", places.up / "n.hdr")
    (places.up / "n.img").symlink_to(places.secret / "n.img")
    return Case("n.hdr", "0")


def _companion(places: Places) -> Case:
    named = ("t.ome.tif", "../secret/t2.ome.tif")
    planes = "".join(
        f'<TiffData FirstZ="{z}" IFD="0" PlaneCount="1"><UUID FileName="{name}">urn:uuid:{z}</UUID></TiffData>'
        for z, name in enumerate(named)
    )
    text = (
        '<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"><Image ID="Image:0"><Pixels ID="Pixels:0" '
        'DimensionOrder="XYZCT" Type="uint8" SizeX="4" SizeY="4" SizeZ="2" SizeC="1" SizeT="1">'
        f'<Channel ID="Channel:0:0" SamplesPerPixel="1"/>{planes}</Pixels></Image></OME>'
    )
    for folder, name, values in ((places.up, named[0], VALUES * 0), (places.secret, "t2.ome.tif", VALUES)):
        data = written(values.reshape(4, 4), description=text, metadata=None, photometric="minisblack")
        (folder / name).write_bytes(data)
    return Case("t.ome.tif", "0")


def _references(places: Places, name: str, target: str, *allowed: str) -> Case:
    array = {"shape": [16], "chunks": [16], "dtype": "|u1", "compressor": None, "filters": None}
    array |= {"zarr_format": 2, "fill_value": 0, "order": "C"}
    refs = {".zgroup": '{"zarr_format": 2}', "x/.zarray": json.dumps(array), "x/0": [target, 0, 16]}
    (places.up / f"{name}.refs.json").write_text(json.dumps({"version": 1, "refs": refs}))
    return Case(f"{name}.refs.json", "x", allowed)


def _virtual_chunk(places: Places) -> Case:
    (places.secret / "v").write_bytes(b"head" + SECRET * 3)
    store = icechunk.local_filesystem_store(str(places.secret))
    credentials = icechunk.credentials.LocalFileSystemAccess
    write_repository(places.up / "repo", f"file://{places.secret}/v", store, credentials)
    return Case("repo?branch=main", "a")


def _redirected_target(places: Places) -> Case:
    places.server.faults["t"] = f"moved:{places.other.url}/secret"
    return _references(places, "moved", f"{places.server.url}/t", places.server.url)


def _redirected_source(places: Places) -> Case:
    array = {"zarr_format": 3, "node_type": "array", "shape": [16], "data_type": "uint8", "fill_value": 0}
    array |= {"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [16]}}}
    array |= {"chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes"}]}
    group = {"zarr_format": 3, "node_type": "group"}
    places.server.values |= {
        f"z/{key}zarr.json": json.dumps(of).encode() for key, of in (("", group), ("x/", array))
    }
    places.server.faults["z/x/c/0"] = f"moved:{places.other.url}/secret"
    return Case(f"{places.server.url}/z", "x")


def _disguised(url: str) -> str:
    return url.replace("127.0.0.1", "2130706433")


CASES: dict[str, Callable[[Places], Case]] = {
    "symbolic link": _link,
    "HDF5 external storage": _external_storage,
    "HDF5 external link": _external_link,
    "HDF5 virtual dataset": _virtual_dataset,
    "NRRD detached data": _nrrd,
    "NIfTI pair": _nifti,
    "OME-TIFF companion": _companion,
    "reference to an absolute path": lambda places: _references(places, "file", f"file://{places.secret}/s"),
    "reference to a relative path": lambda places: _references(places, "path", "../secret/s"),
    "reference to a server of this machine": lambda places: _references(
        places, "server", f"{_disguised(places.other.url)}/secret"
    ),
    "Icechunk virtual chunk": _virtual_chunk,
    "redirection of a target": _redirected_target,
    "redirection of the source": _redirected_source,
}


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Places]:
    folder = tmp_path_factory.mktemp("names")
    for name in ("up", "secret"):
        (folder / name).mkdir()
    (folder / "secret/s").write_bytes(SECRET)
    with h5py.File(folder / "secret/s.h5", "w") as file:
        file["x"] = VALUES
    with fault_server() as server, fault_server() as other:
        other.values["secret"] = SECRET
        yield Places(folder / "up", folder / "secret", server, other)


@pytest.fixture(scope="module")
def cases(places: Places) -> dict[str, Case]:
    return {name: make(places) for name, make in CASES.items()}


@pytest.fixture(scope="module")
def mount(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mounter]:
    with mounting(tmp_path_factory.mktemp("mounts")) as made:
        yield made


def _in_library(source: str, case: Case) -> bytes | None:
    try:
        with zc.open_hierarchy(source, allow_targets=case.allowed) as hierarchy:
            return hierarchy[case.array][...].tobytes()
    except ZarrError:
        return None


def _in_collection(source: str, case: Case) -> bytes | None:
    above, _, name = source.partition("?")[0].rpartition("/")
    return _in_library(above, case._replace(array=f"{name}/{case.array}"))


def _words(case: Case) -> list[str]:
    return [word for prefix in case.allowed for word in ("--allow-targets", prefix)]


def _on_a_mount(source: str, case: Case, mount: Mounter, *words: str) -> bytes | None:
    try:
        return (mount(source, *words, *_words(case)).arrays / case.array / "data.raw").read_bytes()
    except OSError:
        return None


def _on_a_server(source: str, case: Case) -> bytes | None:
    with serve(source, *_words(case)) as process:
        answer = get(f"{process.url}/arrays/{case.array}/data.raw")
    return answer.content if answer.status_code == 200 else None


WAYS = ("library", "mount", "collection", "shared mount", "server")
_SHARED = 2
"""The first of them that shares."""
_NOT_ALLOWED = ("symbolic link", "NIfTI pair", "OME-TIFF companion")
"""Rows that the option has no effect on."""
_OF_SERVER = "redirection of the source"


def _read(way: str, source: str, case: Case, mount: Mounter) -> bytes | None:
    match way:
        case "library":
            return _in_library(source, case)
        case "mount":
            return _on_a_mount(source, case, mount)
        case "collection":
            return _in_collection(source, case)
        case "shared mount":
            return _on_a_mount(source, case, mount, "-o", "allow_other")
    return _on_a_server(source, case)


def test_the_table_has_a_case_for_each_row() -> None:
    assert [*outcomes()] == [*CASES]
    assert {outcome for row in outcomes().values() for outcome in row} == {"read", "refused"}


@pytest.mark.sampled(20)
@pytest.mark.parametrize(
    ("name", "way"),
    # The server has no listing, so its folder is no collection.
    [(name, way) for name in CASES for way in WAYS if (name, way) != (_OF_SERVER, "collection")],
)
def test_names_in_data_are_followed_as_the_table_says(
    name: str, way: str, places: Places, cases: dict[str, Case], mount: Mounter
) -> None:
    case = cases[name]
    source = case.source if "://" in case.source else str(places.up / case.source)
    found = _read(way, source, case, mount)
    is_read = outcomes()[name][WAYS.index(way) >= _SHARED] == "read"
    assert (found is not None) is is_read
    assert found is None or SECRET in found, "what may not be read is an error, and never other values"


@pytest.mark.parametrize("name", [name for name in CASES if name not in _NOT_ALLOWED])
def test_the_option_opens_what_others_may_not_see(
    name: str, places: Places, cases: dict[str, Case], mount: Mounter
) -> None:
    """So what the table says to be refused is refused for this reason alone."""
    case, other = cases[name], places.other.url
    allowed = (str(places.secret), other, _disguised(other), *case.allowed)
    source = case.source if "://" in case.source else str(places.up / case.source)
    assert SECRET in (_read("shared mount", source, case._replace(allowed=allowed), mount) or b"")
