"""Movies as files, read by other programs; and what is left of one that fails: nothing."""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageSequence

from zarrbrowser.export.movies import writers
from zarrbrowser.export.movies.writers import MOVIE_TYPES, movie_writer
from zarrcore.errors import ZarrError

SIZE = (33, 21)
KINDS = ["gif", "png", "mp4", "webm"]


def frame(number: int) -> NDArray[np.uint8]:
    """A frame whose left half is dark and whose brightness rises from frame to frame."""
    pixels = np.zeros((SIZE[1], SIZE[0], 3), np.uint8)
    pixels[:, 16:] = 60 * number + 15
    return pixels


def png(pixels: NDArray[np.uint8]) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(pixels).save(stream, "PNG")
    return stream.getvalue()


def needs(kind: str) -> None:
    if MOVIE_TYPES[kind].module:
        pytest.importorskip(MOVIE_TYPES[kind].module)


def write(path: Path, kind: str, number: int = 4, **options: bool) -> None:
    with movie_writer(str(path), kind, SIZE, 5.0, png, **options) as add:
        for one in range(number):
            add(frame(one))


def test_an_animation_has_its_frames_rate_and_loop(tmp_path: Path) -> None:
    write(tmp_path / "a.gif", "gif")
    with Image.open(tmp_path / "a.gif") as found:
        assert (found.size, found.info["duration"], found.info["loop"]) == (SIZE, 200, 0)
        frames = [np.asarray(one.convert("RGB")) for one in ImageSequence.Iterator(found)]
    assert len(frames) == 4
    for number, pixels in enumerate(frames):
        assert np.array_equal(pixels, frame(number))
    write(tmp_path / "once.gif", "gif", loops=False)
    with Image.open(tmp_path / "once.gif") as found:
        assert "loop" not in found.info


def test_a_frame_of_many_colours_has_the_nearest_256(tmp_path: Path) -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (SIZE[1], SIZE[0], 3), np.uint8)
    with movie_writer(str(tmp_path / "a.gif"), "gif", SIZE, 10, png) as add:
        add(pixels)
    with Image.open(tmp_path / "a.gif") as found:
        assert np.abs(np.asarray(found.convert("RGB")).astype(int) - pixels).mean() < 20


def test_images_are_numbered_in_a_folder(tmp_path: Path) -> None:
    write(tmp_path / "movie", "png")
    assert sorted(os.listdir(tmp_path / "movie")) == [f"movie_{number:05}.png" for number in range(4)]
    with Image.open(tmp_path / "movie" / "movie_00003.png") as found:
        assert np.array_equal(np.asarray(found), frame(3))
    with pytest.raises(FileExistsError, match="of this name already"):
        write(tmp_path / "movie", "png")
    assert len(os.listdir(tmp_path / "movie")) == 4


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # the reader leaves its pipes open
@pytest.mark.parametrize("kind", ["mp4", "webm"])
def test_a_video_has_its_frames_and_rate(kind: str, tmp_path: Path) -> None:
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    path = tmp_path / f"a.{kind}"
    path.write_bytes(b"an older file")
    write(path, kind)
    assert ffmpeg.count_frames_and_secs(str(path)) == (4, pytest.approx(0.8, abs=0.05))
    reader = ffmpeg.read_frames(str(path))
    facts = next(reader)
    assert (facts["size"], facts["fps"]) == ((34, 22), 5.0)
    middles = [np.frombuffer(one, np.uint8).reshape(22, 34, 3)[10, 25, 0] for one in reader]
    assert np.abs(np.array(middles, int) - [15, 75, 135, 195]).max() < 16
    assert os.listdir(tmp_path) == [path.name]


def _begin_and_fail(path: Path, kind: str) -> None:
    with movie_writer(str(path), kind, SIZE, 5, png) as add:
        add(frame(0))
        raise RuntimeError("cancelled")


@pytest.mark.parametrize("kind", KINDS)
def test_a_movie_that_fails_leaves_nothing(kind: str, tmp_path: Path) -> None:
    needs(kind)
    path = tmp_path / f"a.{kind}"
    if kind != "png":
        path.write_bytes(b"old")
    before = os.listdir(tmp_path)
    with pytest.raises(RuntimeError, match="cancelled"):
        _begin_and_fail(path, kind)
    assert os.listdir(tmp_path) == before
    assert kind == "png" or path.read_bytes() == b"old"


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_that_does_not_exist_is_an_error_of_the_disk(kind: str, tmp_path: Path) -> None:
    needs(kind)
    with pytest.raises(FileNotFoundError):
        write(tmp_path / "nowhere" / f"a.{kind}", kind)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("kind", ["mp4", "webm"])
def test_a_video_that_lacks_frames_is_not_kept(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    monkeypatch.setattr(ffmpeg, "count_frames_and_secs", lambda _path: (3, 0.6))
    with pytest.raises(OSError, match="not complete"):
        write(tmp_path / f"a.{kind}", kind)
    assert os.listdir(tmp_path) == []


def test_a_full_disk_is_told_in_a_sentence(tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg")
    with pytest.raises(OSError, match="the disk is full") as told, writers.plain_errors(str(tmp_path / "a")):
        raise OSError("[mp4 @ 0x1] error\nav_interleaved_write_frame(): No space left on device\n")
    assert told.value.errno == errno.ENOSPC
    with (
        pytest.raises(OSError, match="ffmpeg cannot write it: Conversion failed!"),
        writers.plain_errors(str(tmp_path / "a")),
    ):
        raise OSError("many\nlines\nConversion failed!\n")


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writers, "find_spec", lambda _name: None)
    assert MOVIE_TYPES["mp4"].why_missing.endswith("package imageio-ffmpeg: pip install 'zarrscope[movies]'")
    assert MOVIE_TYPES["png"].why_missing == ""
    with pytest.raises(ZarrError, match="needs the package pillow"):
        write(tmp_path / "a.gif", "gif")
    assert os.listdir(tmp_path) == []
