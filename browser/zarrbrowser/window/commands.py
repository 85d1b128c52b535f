"""Everything that can be done by key or menu, said once: the menu, the keys and the list of them are made of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zarrbrowser.window.main_window import MainWindow


@dataclass(frozen=True, slots=True)
class Command:
    """Something that can be done."""

    text: str
    keys: tuple[str, ...]
    """The first is shown in the menu."""
    run: Callable[[], object]
    in_menu: bool = True
    everywhere: bool = True
    """Whether the keys mean this wherever the keyboard is; else only in the pane, which binds them."""


@dataclass(frozen=True, slots=True)
class Group:
    """Commands that belong together."""

    title: str
    commands: tuple[Command, ...]


def window_commands(window: MainWindow) -> tuple[Group, ...]:
    """What the window can do wherever the keyboard is."""
    navigator, pane = window.navigator, window.node_pane
    return (
        Group(
            "Sources",
            (
                Command("Open folder…", ("Ctrl+O",), window.choose_folder),
                Command("Open zip file…", ("Ctrl+Shift+Z",), window.choose_zip),
                Command("Open location…", ("Ctrl+Shift+O",), window.choose_location),
                Command("Reload source", ("F5", "Ctrl+R"), window.reload),
                Command("Close source", ("Ctrl+W",), window.close_source),
                Command("Mount and open folder", ("Ctrl+M",), window.mounter.mount_and_open, in_menu=False),
            ),
        ),
        Group(
            "Going about",
            (
                Command("Back", ("Alt+Left", "Back"), navigator.back),
                Command("Forward", ("Alt+Right", "Forward"), navigator.forward),
                Command("Parent", ("Alt+Up",), navigator.go_up),
                Command("Search", ("Ctrl+F",), window.side.focus_box),
                Command("Address", ("Ctrl+L",), window.focus_address, in_menu=False),
                Command("Tree", ("Ctrl+T",), window.tree.setFocus, in_menu=False),
                Command("Next tab", ("Ctrl+PgDown",), lambda: pane.turn(1), in_menu=False),
                Command("Previous tab", ("Ctrl+PgUp",), lambda: pane.turn(-1), in_menu=False),
                Command("Stop reading", ("Esc",), window.workers.stop, in_menu=False),
            ),
        ),
        Group(
            "What is shown",
            (
                Command("Export…", ("Ctrl+E",), window.exporter.ask),
                Command("Copy as…", ("Ctrl+Shift+C",), pane.copy_button.showMenu),
                Command("Fit into view", ("F",), pane.fit, everywhere=False),
                Command("One element per pixel", ("1",), pane.actual_size, everywhere=False),
                Command("Next plane", ("Ctrl+Right",), lambda: pane.step(1)),
                Command("Previous plane", ("Ctrl+Left",), lambda: pane.step(-1)),
            ),
        ),
    )


INSIDE = (
    (
        "Picture",
        (
            ("Next and previous plane", "PgDown, PgUp"),
            ("Film", "Space"),
            ("Move", "Left, Right, Up, Down"),
            ("Closer, farther", "+, -"),
        ),
    ),
    (
        "Table",
        (
            ("Copy the selected cells", "Ctrl+C"),
            ("Select all", "Ctrl+A"),
            ("First and last cell", "Ctrl+Home, Ctrl+End"),
        ),
    ),
    ("Tree", (("Expand, collapse, retry", "Enter"), ("Into, out of", "Right, Left"))),
    ("Search", (("To what was found", "Down"), ("Clear", "Esc"))),
)
"""Keys that mean something only where the keyboard is."""
