"""The real program, driven by keys and mouse like a user, on a folder and on a distant bucket."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest
import zarr
from PIL import ImageGrab

from tests.browser.conftest import environment
from tests.servers.proxy import proxy
from tests.servers.s3 import S3Server
from tests.waiting import PATIENCE_S

VALUES = np.random.default_rng(3).integers(0, 4000, (12, 60, 80)).astype(np.uint16)
_PATIENCE_S = 60.0
_CARET_NBYTES = 200


class Person:
    """A user at the keyboard of a program on a separate display."""

    def __init__(self, display: str, home: Path, *arguments: str) -> None:
        self._environment = environment(display, home)
        program = Path(sys.executable).with_name("zarrscope")
        self.program = subprocess.Popen(
            [program, "browse", "--fresh", *arguments],
            env=self._environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.window = self.wait_for(lambda: self.find("zarrscope"), "the window")
        self.do("windowfocus", "--sync", self.window)

    def do(self, *words: str) -> str:
        """Run xdotool."""
        done = subprocess.run(
            ["xdotool", *words],
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=True,
        )
        return done.stdout.strip()

    def keys(self, *names: str) -> None:
        """Press keys, one after the other."""
        for name in names:
            self.do("key", "--clearmodifiers", name)

    def write(self, text: str) -> None:
        """Type a text."""
        self.do("type", "--delay", "12", text)

    def title(self) -> str:
        """The title of the window."""
        return self.do("getwindowname", self.window)

    def wait_for_title(self, name: str) -> None:
        """Wait until a node is shown."""
        self.wait_for(lambda: self.title().startswith(name), f"{name} (the title is {self.title()})")

    def dialog(self, name: str) -> None:
        """Wait for a dialog, and focus it."""
        found = self.wait_for(lambda: self.find(name), name)
        self.do("windowfocus", "--sync", found)

    def back(self) -> None:
        """Focus the window again."""
        self.do("windowfocus", "--sync", self.window)

    def look(self, still_s: float = 1.5) -> None:
        """Wait until the screen has not changed for a while, except for a caret."""
        seen, since_s = self._screen(), time.monotonic()

        def is_still() -> bool:
            nonlocal seen, since_s
            shown = self._screen()
            if np.count_nonzero(shown != seen) > _CARET_NBYTES:
                seen, since_s = shown, time.monotonic()
            return time.monotonic() - since_s > still_s

        self.wait_for(is_still, "a stable screen")

    def _screen(self) -> np.ndarray:
        return np.asarray(ImageGrab.grab(xdisplay=self._environment["DISPLAY"]))

    def leave(self) -> int:
        """Quit by key, and wait for the program to end."""
        self.back()
        self.keys("ctrl+q")
        assert self.program.communicate(timeout=PATIENCE_S)[1] == ""
        return self.program.returncode

    def end(self) -> None:
        """End the program in any case."""
        if self.program.poll() is None:
            self.program.kill()
            self.program.communicate(timeout=PATIENCE_S)

    def wait_for(self, found: Callable[[], object], what: str) -> str:
        """The result of ``found``, once it is not empty."""
        stop_s = time.monotonic() + _PATIENCE_S
        while time.monotonic() < stop_s:
            assert self.program.poll() is None, f"the program ended: {self.program.communicate()[1]}"
            if answer := found():
                return str(answer)
            time.sleep(0.15)
        raise AssertionError(f"waited in vain for {what}")

    def find(self, name: str) -> str:
        """The window whose title matches, or an empty text."""
        words = ["xdotool", "search", "--onlyvisible", "--name", name]
        done = subprocess.run(words, env=self._environment, capture_output=True, text=True, check=False)
        return done.stdout.split("\n")[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hand") / "hand.zarr"
    group = zarr.open_group(path, mode="w")
    deep = group.create_group("deep")
    deep.create_array("volume", data=VALUES, chunks=(1, 30, 40), dimension_names=["z", "y", "x"])
    return path


@pytest.fixture(params=["folder", "distant bucket"])
def place(request: pytest.FixtureRequest, folder: Path) -> Iterator[tuple[str, list[str]]]:
    """The source to open, and its connection options."""
    if request.param == "folder":
        yield str(folder), []
        return
    s3: S3Server = request.getfixturevalue("s3")
    s3.upload(folder, "bucket/hand/hand.zarr")
    with ExitStack() as stack:
        url = stack.enter_context(proxy(s3.endpoint_url, 0.2)).url
        yield "s3://bucket/hand/hand.zarr", ["--endpoint-url", url, "--region", "us-east-1"]


def test_a_user_can_open_expand_select_scrub_zoom_export_and_quit(
    place: tuple[str, list[str]], display: str, tmp_path: Path
) -> None:
    address, options = place
    person = Person(display, tmp_path, *([address, *options] if options else []))
    try:
        if not options:
            person.keys("ctrl+l")
            person.write(address)
            person.keys("Return")
        person.wait_for_title("hand.zarr")
        person.look(0.5)  # the title is there before the source is open
        person.keys("ctrl+f")
        person.write("volu")
        person.keys("Down")
        person.wait_for_title("volume")
        person.keys("ctrl+f", "Escape", "ctrl+t", "Left")
        person.wait_for_title("deep")
        person.keys("Left", "Right", "Down")  # close it, open it again, and go to its first child
        person.wait_for_title("volume")
        person.look()
        for _ in range(3):
            person.keys("ctrl+Right")
        person.do("mousemove", "--window", person.window, "740", "430")
        for _ in range(4):
            person.do("click", "4")
        person.look()  # the displayed array is exported
        exported = export(person, tmp_path / "out.npy")
        assert person.leave() == 0
    finally:
        person.end()
    shown = [plane for plane in range(12) if np.array_equal(exported, VALUES[plane])]
    assert shown == [6 + 3]


def export(person: Person, target: Path) -> np.ndarray:
    """Export the whole plane as a NumPy file, and read the file."""
    person.keys("ctrl+e")
    person.dialog("^Export$")
    person.look(0.5)
    person.write("The")  # whole plane, in the list of what to export
    person.keys("Tab", "Tab")
    person.write("NumPy")
    person.keys("Return")
    person.dialog("^Export to a file")
    person.look(0.5)
    person.keys("ctrl+a")
    person.write(str(target))
    person.look(0.5)
    person.keys("Return")
    person.look()
    if person.find("^Export to a file"):  # the first one closed the dialog's list of proposed names
        person.keys("Return")
    person.wait_for(target.exists, f"{target.name} to be written")
    return np.load(target)
