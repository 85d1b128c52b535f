"""Movies as files, written frame by frame: one that fails or is cancelled leaves nothing."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

from zarrbrowser.export.movies.gif import END, common_palette, frame_blocks, header
from zarrcore.installation import how_to_add

Frame = NDArray[np.uint8]
"""Shape (h, w, 3)."""
Encoder = Callable[[Frame], bytes]
"""Makes a PNG file of a frame."""


@dataclass(frozen=True, slots=True)
class MovieType:
    """A kind of movie."""

    title: str
    suffix: str
    """Empty for a folder."""
    module: str = ""
    """The package that it needs, besides those of the window."""
    package: str = ""
    extra: str = ""
    """The extra of zarrscope that installs it."""

    @property
    def why_missing(self) -> str:
        """What has to be installed for it; empty if everything is there."""
        if not self.module or find_spec(self.module) is not None:
            return ""
        return f"this type needs the package {self.package}: {how_to_add(self.extra)}"


MOVIE_TYPES = {
    "gif": MovieType("GIF animation", "gif", "PIL", "pillow", "gui"),
    "mp4": MovieType("MP4 video", "mp4", "imageio_ffmpeg", "imageio-ffmpeg", "movies"),
    "webm": MovieType("WebM video", "webm", "imageio_ffmpeg", "imageio-ffmpeg", "movies"),
    "png": MovieType("Folder of numbered PNG images", ""),
}


@contextmanager
def movie_writer(
    path: str,
    kind: str,
    size: tuple[int, int],
    rate: float,
    encode: Encoder,
    *,
    loops: bool = True,
    colours: Frame | None = None,
) -> Iterator[Callable[[Frame], None]]:
    """A function that adds a frame; the movie appears when the block ends, and nothing if it fails.

    Args:
        path: the file or the folder; an existing file is replaced, an existing folder is not.
        kind: a key of `MOVIE_TYPES`.
        size: the width and height of all frames.
        rate: frames per second.
        encode: makes PNG files.
        loops: whether a GIF animation starts again at its end.
        colours: those of the colour map, shape (n, 3), for the one palette of a GIF animation; without one, each frame has
            the palette that suits it best.

    Raises:
        OSError: it cannot be written there.
        ZarrError: its package is not installed.
    """
    from zarrcore.errors import ZarrError

    missing = MOVIE_TYPES[kind].why_missing
    if missing:
        raise ZarrError(missing)
    if kind == "png":
        opened = _folder(path, encode)
    elif kind == "gif":
        opened = _gif(path, size, rate, colours, loops=loops)
    else:
        opened = _video(path, kind, size, rate)
    with opened as add:
        yield add


@contextmanager
def _gif(
    path: str, size: tuple[int, int], rate: float, colours: Frame | None, *, loops: bool
) -> Iterator[Callable[[Frame], None]]:
    from zarrcore.filetypes import whole_or_nothing

    with whole_or_nothing(path) as stream:
        stream.write(header(size, loops=loops))
        palette = b""

        def add(frame: Frame) -> None:
            nonlocal palette
            if colours is not None and not palette:
                palette = common_palette(frame, colours)
            stream.write(frame_blocks(frame, rate, palette))

        yield add
        stream.write(END)


@contextmanager
def _folder(path: str, encode: Encoder) -> Iterator[Callable[[Frame], None]]:
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, "there is a file or folder of this name already", path)
    made, name = _beside(path, ""), os.path.basename(path)
    os.mkdir(made)
    count = 0

    def add(frame: Frame) -> None:
        nonlocal count
        with open(f"{made}/{name}_{count:05}.png", "wb") as stream:
            stream.write(encode(frame))
        count += 1

    try:
        yield add
        os.rename(made, path)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


@contextmanager
def _video(path: str, kind: str, size: tuple[int, int], rate: float) -> Iterator[Callable[[Frame], None]]:
    import imageio_ffmpeg

    made = _beside(path, f".{kind}")
    with open(made, "xb"):
        pass  # says at once whether the folder can be written; ffmpeg would say so in many lines
    even = (size[0] + size[0] % 2, size[1] + size[1] % 2)  # as its colours need
    codec = "libx264" if kind == "mp4" else "libvpx-vp9"
    frames = imageio_ffmpeg.write_frames(
        made, even, fps=rate, codec=codec, quality=8, macro_block_size=2, ffmpeg_log_level="error"
    )
    count = 0

    def add(frame: Frame) -> None:
        nonlocal count
        padding = [(0, even[1] - frame.shape[0]), (0, even[0] - frame.shape[1]), (0, 0)]
        with plain_errors(made):
            frames.send(np.ascontiguousarray(np.pad(frame, padding, mode="edge")))
        count += 1

    try:
        with plain_errors(made):
            frames.send(None)
        yield add
        with plain_errors(made):
            frames.close()
            if not count or imageio_ffmpeg.count_frames_and_secs(made)[0] != count:
                raise OSError(errno.EIO, "the video is not complete")
        os.replace(made, path)
    except BaseException:
        frames.close()
        with suppress(FileNotFoundError):
            os.remove(made)
        raise


@contextmanager
def plain_errors(path: str) -> Iterator[None]:
    """Turn errors of ffmpeg, which are many lines of its log, into a sentence."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        text = str(error)
        is_full = "No space left" in text or shutil.disk_usage(os.path.dirname(path) or ".").free < 2**16
        if is_full:
            raise OSError(errno.ENOSPC, "the disk is full") from error
        if "\n" in text or not isinstance(error, OSError):
            last = next((line for line in reversed(text.splitlines()) if line.strip()), "it failed")
            raise OSError(errno.EIO, f"ffmpeg cannot write it: {last.strip()}") from error
        raise


def _beside(path: str, suffix: str) -> str:
    """A hidden name in the same folder, which nothing has."""
    folder, name = os.path.split(os.path.abspath(path))
    return f"{folder}/.{name}.{secrets.token_hex(4)}{suffix}"
