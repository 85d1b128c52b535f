"""The demonstration behind packaging/demo: the first things to do with a hierarchy, checked at each step.

Without SOURCE it writes ``brain.zarr`` into the clone: real images, whose values it knows from nibabel. With SOURCE it compares
the values in the mount with those of the library. It always unmounts.
"""

from __future__ import annotations

import zarrcore.__main__  # first: from here on, Ctrl-C ends the process without a traceback

# isort: split
import argparse
import os
import shlex
import signal
import struct
import sys
import tempfile
from collections.abc import Iterator
from itertools import islice
from typing import NoReturn

import numpy as np
from demo_ways import ZARRSCOPE, CommandLine, DemoError, Mount, Selection, as_text, why_no_mount, zarrscope

from zarrcore.array import plane_ndim
from zarrcore.cli.store_arguments import add_store_arguments, store_options
from zarrcore.errors import ZarrError
from zarrcore.filetypes import supported_suffixes
from zarrcore.hierarchy import ArrayNode

WINDOW = 1024
"""The most rows and columns of a plane to read; a source may have planes of gigabytes."""
MOST_NODES = 2000
"""The most nodes to search for an array with planes."""
MOST_ENTRIES, MOST_LINES = (7, 6, 4, 2), 40
"""The most entries of a folder to list, by its depth, and the most lines in all."""


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="packaging/demo", description="Mount a hierarchy, read it, make a picture."
    )
    parser.add_argument(
        "source",
        nargs="?",
        metavar="SOURCE",
        help="path or URL (default: brain.zarr in the clone, images of a brain, which it writes)",
    )
    parser.add_argument("--keep", action="store_true", help="leave it mounted, and say how to unmount it")
    parser.add_argument("--format", help="the format of SOURCE, if it is not to be detected")
    add_store_arguments(parser)
    arguments = parser.parse_args(argv)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    try:
        demonstrate(arguments, [word for word in argv if word not in (arguments.source, "--keep")])
    except BrokenPipeError:  # the reader, such as "head", has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except (DemoError, ZarrError, OSError) as error:
        print(f"\ndemo: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ndemo: stopped", file=sys.stderr)
        return 130
    return 0


def stop(number: int, _frame: object) -> NoReturn:
    """Leave as after Ctrl-C, so that what is mounted is unmounted."""
    sys.exit(128 + number)


def demonstrate(arguments: argparse.Namespace, options: list[str]) -> None:
    """All steps; ``options`` are the words that tell zarrscope how to open the source."""
    folder = own_folder()
    source, known = arguments.source, {}
    if source is None:
        source = place_of_brain(folder)
        known = write_brain(source)
    hierarchy = zarrcore.open_hierarchy(source, format=arguments.format, options=store_options(arguments))
    say("Opened", f"{hierarchy.format.title} at {hierarchy.url}")
    array = choose(hierarchy, "/functional" if known else "")
    obstacle = why_no_mount()
    if obstacle:
        say("Not mounted", f"{obstacle};", "the command line shows the same from here on")
        say("Tree", *first(zarrscope("tree", *options, source).splitlines(), MOST_LINES))
        read(CommandLine(source, options), array, known, folder)
    else:
        with Mount(source, options) as mount:
            say("Mounted", f"at {mount.mountpoint}")
            show_folder("keys/", os.path.join(mount.mountpoint, "keys"))
            show_folder("arrays/", os.path.join(mount.mountpoint, "arrays"))
            read(mount, array, known, folder)
            mount.keep = arguments.keep
        if mount.keep:
            say(
                "Kept",
                f"mounted at {mount.mountpoint}; to unmount it:",
                f"  {command('umount', mount.mountpoint)}",
            )
        else:
            say("Unmounted", mount.mountpoint)
    say("Try next", *suggestions(source, options, array, can_mount=not obstacle))


def read(
    way: Mount | CommandLine, array: ArrayNode | None, known: dict[str, np.ndarray], folder: str
) -> None:
    """Load the middle plane as NumPy would, compare each value, and make a picture of it."""
    if array is None:
        say("No array", f"no array with values among the first {MOST_NODES:,} nodes: nothing to load")
        return
    selection = middle(array)
    plane = way.part(array.path, selection, array.shape)
    lines = [f"{array.path} is {sizes(array.shape)} {array.dtype}; loaded {sizes(plane.shape)} in the middle"]
    if isinstance(way, Mount):
        place = os.path.relpath(way.file(array.path, "data.npy"), way.mountpoint)
        lines.append(f'plane = np.load("{place}", mmap_mode="r")[{as_text(selection, array.shape)}]')
    check(plane, array[selection], "what the library reads")
    lines.append("✓ equal to what the library reads")
    for path, values in known.items():
        check(way.whole(path), values, f"nibabel's {path}")
        lines.append(f"✓ all {values.size:,} elements of {path} equal to nibabel's")
    say("NumPy", *lines)
    if array.ndim < 2 or "png" not in supported_suffixes(array, selection=selection):
        say("Picture", f"none: no plane of {array.path} can be a picture")
        return
    numbers = "".join(f"-{part}" for part in selection if isinstance(part, int))
    target = os.path.join(folder, f"{array.name or 'root'}{numbers}.png")
    how = way.picture(array.path, selection, array.shape, target)
    say("Picture", target, f"{picture_size(target, plane.shape)} pixels, {how}")


# ---------------------------------------------------------------- the source


def own_folder() -> str:
    """The folder for the demonstration's pictures: the user's cache, or a temporary folder if that is not writable."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = os.path.join(cache, "zarrscope", "demo")
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError:
        return tempfile.mkdtemp(prefix="zarrscope-demo-")
    return folder if os.access(folder, os.W_OK) else tempfile.mkdtemp(prefix="zarrscope-demo-")


def place_of_brain(other: str) -> str:
    """``brain.zarr`` in the clone, where the examples of the documents use it; in another folder if the clone is read-only."""
    clone = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    path = os.path.join(clone if os.access(clone, os.W_OK) else other, "brain.zarr")
    near = os.path.relpath(path)
    return path if near.startswith("..") else near


def write_brain(path: str) -> dict[str, np.ndarray]:
    """Write the images, over those of an earlier run only.

    Raises:
        DemoError: something else has that name.
    """
    import demo_hierarchy

    if os.path.lexists(path) and not is_own(path, demo_hierarchy.OWN):
        raise DemoError(f"{path} exists, and this demonstration did not write it: move it elsewhere")
    known = demo_hierarchy.write(path)
    say("Written", "images of a human brain (they ship with nibabel), as Zarr v3 by zarr-python", path)
    return known


def is_own(path: str, attributes: dict[str, str]) -> bool:
    """Whether an earlier run wrote what is at a path, by the attributes of its root group."""
    try:
        found = zarrcore.open_hierarchy(path)["/"].attributes
    except (ZarrError, OSError):
        return False
    return not os.path.islink(path) and dict(found) == attributes


def choose(hierarchy: zarrcore.Hierarchy, path: str) -> ArrayNode | None:
    """The array to show: the one at a given path, else the first with planes, else the first."""
    if path:
        named = hierarchy[path]
        assert isinstance(named, ArrayNode)
        return named
    fallback = None
    for node in islice(hierarchy.walk(), MOST_NODES):
        if isinstance(node, ArrayNode) and node.size and "npy" in supported_suffixes(node):
            if node.ndim >= 2:
                return node
            fallback = fallback or node
    return fallback


def middle(array: zarrcore.Array) -> Selection:
    """The middle plane, or the middle part of a very large one."""
    leading = array.ndim - plane_ndim(array.shape, array.dtype)
    return tuple(
        length // 2 if axis < leading else around_middle(length) for axis, length in enumerate(array.shape)
    )


def around_middle(length: int) -> slice:
    start = max(0, (length - WINDOW) // 2)
    return slice(start, min(length, start + WINDOW))


# ---------------------------------------------------------------- checks


def check(found: np.ndarray, expected: np.ndarray, what: str) -> None:
    """Compare two arrays bit for bit.

    Raises:
        DemoError: they differ.
    """
    if (
        found.shape != expected.shape
        or found.dtype != expected.dtype
        or found.tobytes() != expected.tobytes()
    ):
        raise DemoError(
            f"the {found.dtype} {found.shape} read differs from {what}, {expected.dtype} {expected.shape}"
        )


def picture_size(file: str, shape: tuple[int, ...]) -> str:
    """The size in the picture's header, which must be that of the plane."""
    with open(file, "rb") as stream:
        head = stream.read(24)
    width, height = struct.unpack(">II", head[16:24])
    if not head.startswith(b"\x89PNG\r\n\x1a\n") or (height, width) != shape[:2]:
        raise DemoError(f"{file} is not a picture of {shape[1]} × {shape[0]} pixels")
    return f"{width} × {height}"


# ---------------------------------------------------------------- what is printed


def say(title: str, *lines: str) -> None:
    for number, line in enumerate(lines):
        print(f"{title if number == 0 else '':<13}{line}", flush=True)


def sizes(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape)) or "1"


def show_folder(title: str, path: str) -> None:
    say(title, *first(list(islice(listing(path), MOST_LINES + 1)), MOST_LINES))


def first(lines: list[str], most: int) -> list[str]:
    return lines if len(lines) <= most else [*lines[:most], "…"]


def listing(path: str, depth: int = 0) -> Iterator[str]:
    """The tree below a folder: fewer entries at greater depth, and a folder with a single entry in one line with it."""
    most = MOST_ENTRIES[min(depth, len(MOST_ENTRIES) - 1)]
    indent = "  " * depth
    some = entries(path, most + 1)
    for name, inner in some[:most]:
        while inner and len(only := entries(inner, 2)) == 1:
            name, inner = os.path.join(name, only[0][0]), only[0][1]
        if inner:
            yield f"{indent}{name}/"
            yield from listing(inner, depth + 1)
        else:
            yield f"{indent + name:<40}{os.stat(os.path.join(path, name)).st_size:>11,} bytes"
    if len(some) > most:
        yield f"{indent}…"


def entries(path: str, most: int) -> list[tuple[str, str]]:
    """Names in a folder, files first, with the path of those that are folders."""
    with os.scandir(path) as found:
        some = [(entry.name, entry.path if entry.is_dir() else "") for entry in islice(found, most)]
    return sorted(some, key=lambda entry: (bool(entry[1]), entry[0]))


def command(*words: str) -> str:
    """A command line to copy, with the shortest path of zarrscope."""
    near = os.path.relpath(ZARRSCOPE)
    return shlex.join([ZARRSCOPE if near.startswith("..") else near, *words])


def suggestions(source: str, options: list[str], array: ArrayNode | None, can_mount: bool) -> Iterator[str]:
    yield command("browse", *options, source)
    yield command("tree", *options, source)
    if array is not None:
        select = as_text(middle(array), array.shape)
        yield command(
            "cat", *options, source, array.path, "--select", select, "--as", "npy", "--output", "plane.npy"
        )
    if can_mount:
        yield f"mkdir -p ~/zarr && {command('mount', *options, source)} ~/zarr && ls ~/zarr/arrays"
        yield f"{command('umount')} ~/zarr"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
