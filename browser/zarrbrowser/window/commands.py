"""All commands with their keys: the source of the menu, the shortcuts, the list of shortcuts and the guide's table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtGui import QKeySequence

if TYPE_CHECKING:  # the table names parts of the window, and needs none of them
    from zarrbrowser.window.main_window import MainWindow


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the window."""

    title: str
    keys: tuple[str, ...]
    """The shortcuts; the menu shows the first."""
    run: Callable[[MainWindow], object] | None = None
    """None if the focused widget handles the keys itself."""
    in_menu: bool = True
    panes: tuple[str, ...] = ()
    """The panes where the keys work, because they have other meanings elsewhere; empty for the whole window."""
    in_tree: bool = False
    """Whether the keys of these panes also work in the tree."""
    needs: Callable[[MainWindow], bool] | None = None
    """Whether there is now what its entry of the menu is about; None for an entry that is always enabled."""

    @property
    def label(self) -> str:
        """The title without a menu's ellipsis."""
        return self.title.rstrip("…")

    def keys_text(self, form: QKeySequence.SequenceFormat = QKeySequence.SequenceFormat.NativeText) -> str:
        """The keys as text."""
        return ", ".join(QKeySequence(key).toString(form) for key in self.keys)


@dataclass(frozen=True, slots=True)
class Group:
    """Related commands."""

    title: str
    commands: tuple[Command, ...]
    needs: Callable[[MainWindow], bool] | None = None
    """The same for each of its commands that has no condition of its own."""


def _has_row(window: MainWindow) -> bool:
    """Whether a source is open, or has failed to open."""
    return window.model.rowCount() > 0


def _has_node(window: MainWindow) -> bool:
    return window.session.node is not None


def _has_parent(window: MainWindow) -> bool:
    node = window.session.node
    return node is not None and node.path != "/"


def may_change(window: MainWindow) -> bool:
    """Whether the user has allowed changes of the current source."""
    source = window.session.source
    return source is not None and source.may_change


_PICTURES = ("Image", "Volume", "Plot", "Thumbnails")

COMMANDS = (
    Group(
        "File",
        (
            Command("Open…", ("Ctrl+O", "Ctrl+Shift+Z"), lambda window: window.choose_source()),
            Command("Open location…", ("Ctrl+Shift+O",), lambda window: window.choose_location()),
            Command(
                "Reload source",
                ("F5", "Ctrl+R"),
                lambda window: window.sources.reload_current(),
                needs=_has_row,
            ),
            Command(
                "Close source", ("Ctrl+W",), lambda window: window.sources.close_current(), needs=_has_row
            ),
            Command(
                "Allow or stop changes",
                ("Ctrl+Shift+A",),
                lambda window: window.editor.toggle(),
                needs=_has_node,
            ),
            Command(
                "Mount and open folder",
                ("Ctrl+M",),
                lambda window: window.exports.mounter.mount_and_open(),
                in_menu=False,
            ),
            Command("Quit", ("Ctrl+Q",), lambda window: window.close()),
        ),
    ),
    Group(
        "Edit",
        (
            Command("Undo last change", ("Ctrl+Z",), lambda window: window.editor.undo()),
            Command("New group…", ("Ctrl+Shift+N",), lambda window: window.editor.ask_group()),
            Command("Rename or move…", ("Ctrl+Shift+R",), lambda window: window.editor.ask_path()),
            Command("Delete…", ("Ctrl+Shift+Del",), lambda window: window.editor.ask_erase()),
            Command(
                "Write a value…",
                ("Ctrl+Shift+F",),
                lambda window: window.node_pane.current_pane.ask_to_fill(),
                in_menu=False,
                panes=("Table", "Value"),
            ),
        ),
        may_change,
    ),
    Group(
        "View",
        (
            Command(
                "Back",
                ("Alt+Left", "Back"),
                lambda window: window.navigator.back(),
                needs=lambda window: window.navigator.can_go_back,
            ),
            Command(
                "Forward",
                ("Alt+Right", "Forward"),
                lambda window: window.navigator.forward(),
                needs=lambda window: window.session.history.can_go_forward,
            ),
            Command("Parent", ("Alt+Up",), lambda window: window.navigator.go_up(), needs=_has_parent),
            Command("Search", ("Ctrl+F",), lambda window: window.view.search(), needs=_has_row),
            Command(
                "Address", ("Ctrl+L",), lambda window: window.view.top_bar.focus_address(), in_menu=False
            ),
            Command("Tree", ("Ctrl+T",), lambda window: window.view.focus_tree(), in_menu=False),
            Command(
                "Show, hide tree",
                ("F9",),
                lambda window: window.view.top_bar.tree_button.click(),
                needs=_has_row,
            ),
            Command(
                "Show, hide colours",
                ("Shift+F9",),
                lambda window: window.node_pane.current_pane.toggle_colours(),
                needs=_has_node,
            ),
            Command("Show, hide requests", ("F12",), lambda window: window.toggle_requests()),
            Command(
                "Between tree and data",
                ("F6",),
                lambda window: window.node_pane.swap_focus(window.tree),
                in_menu=False,
            ),
            Command(
                "Next tab", ("Ctrl+PgDown",), lambda window: window.node_pane.tabs.turn(1), in_menu=False
            ),
            Command(
                "Previous tab", ("Ctrl+PgUp",), lambda window: window.node_pane.tabs.turn(-1), in_menu=False
            ),
            Command("Stop reading", ("Esc",), lambda window: window.workers.stop(), in_menu=False),
        ),
    ),
    Group(
        "Data",
        (
            Command("Export…", ("Ctrl+E",), lambda window: window.exports.data.show_dialog()),
            Command("Export figure…", ("Ctrl+Shift+E",), lambda window: window.exports.figures.show_dialog()),
            Command("Copy figure", ("Ctrl+Shift+I",), lambda window: window.exports.figures.copy()),
            Command("Print figure…", ("Ctrl+P",), lambda window: window.exports.figures.print()),
            Command("Export movie…", ("Ctrl+Shift+M",), lambda window: window.exports.movies.show_dialog()),
            Command(
                "Copy as…", ("Ctrl+Shift+C",), lambda window: window.node_pane.header.copy_button.showMenu()
            ),
            Command("Check…", ("Ctrl+Shift+K",), lambda window: window.checker.check_current()),
            Command(
                "Fit into view",
                ("F",),
                lambda window: window.node_pane.current_pane.fit(),
                panes=(*_PICTURES, "Table"),
                in_tree=True,
            ),
            Command(
                "One element per pixel",
                ("1",),
                lambda window: window.node_pane.current_pane.actual_size(),
                panes=("Image",),
                in_tree=True,
            ),
            Command("Next plane", ("Ctrl+Right",), lambda window: window.node_pane.step(1)),
            Command("Previous plane", ("Ctrl+Left",), lambda window: window.node_pane.step(-1)),
            Command("Show beside", ("Ctrl+Shift+B",), lambda window: window.beside.show_current()),
            Command(
                "Close second image", ("Ctrl+Shift+W",), lambda window: window.beside.close(), in_menu=False
            ),
        ),
        _has_node,
    ),
    Group(
        "Bookmarks",
        (
            Command(
                "Bookmark this view…",
                ("Ctrl+D",),
                lambda window: window.saved_views.bookmarker.add(),
                in_menu=False,
            ),
            Command(
                "Edit bookmarks…",
                ("Ctrl+B",),
                lambda window: window.saved_views.bookmarker.show(),
                in_menu=False,
            ),
        ),
    ),
    Group(
        "Help",
        (
            Command("Commands", ("Ctrl+K", "Ctrl+Shift+P"), lambda window: window.show_palette()),
            Command("Guide", ("Shift+F1",), lambda window: window.help.show_guide()),
            Command("Keyboard shortcuts", ("F1",), lambda window: window.help.show_keys()),
            Command("About zarrscope", ("Ctrl+F1",), lambda window: window.help.show_about()),
        ),
    ),
    Group(
        "Tree",
        (
            Command("Expand, collapse, retry", ("Enter",)),
            Command("First child, parent", ("Right", "Left")),
            Command("Rename or move", ("F2",)),
            Command("Delete", ("Del",)),
        ),
    ),
    Group("Search box", (Command("To the results", ("Down",)), Command("Clear", ("Esc",)))),
    Group(
        "Thumbnails", (Command("Open the well or image", ("Enter",)), Command("Larger, smaller", ("+", "-")))
    ),
    Group(
        "Picture",
        (
            Command("Next plane", ("PgDown",), lambda window: window.node_pane.step(1), False, ("Image",)),
            Command("Previous plane", ("PgUp",), lambda window: window.node_pane.step(-1), False, ("Image",)),
            Command("Play, stop", ("Space",)),
        ),
    ),
    Group(
        "Picture and plot",
        (
            Command("Pan", ("Left", "Right", "Up", "Down")),
            Command("Zoom in, zoom out", ("+", "-")),
            Command("Point elsewhere", ("Shift+Left", "Shift+Right", "Shift+Up", "Shift+Down")),
            Command("Click there", ("Enter",)),
        ),
    ),
    Group(
        "Regions, profile line, borders",
        (
            Command("Next region or end of the line", ("Tab",)),
            Command("Move it, or a border", ("Left", "Right", "Up", "Down")),
            Command("By ten", ("Shift+Left", "Shift+Right", "Shift+Up", "Shift+Down")),
            Command("Resize the region", ("Ctrl+Left", "Ctrl+Right", "Ctrl+Up", "Ctrl+Down")),
            Command("Leave it", ("Esc",)),
        ),
    ),
    Group(
        "Table of regions",
        (Command("Remove the chosen region", ("Del",)), Command("Copy the table", ("Ctrl+C",))),
    ),
    Group(
        "Volume",
        (
            Command("Turn", ("Left", "Right", "Up", "Down")),
            Command("Move", ("Shift+Left", "Shift+Right", "Shift+Up", "Shift+Down")),
            Command("Zoom in, zoom out", ("+", "-")),
            Command("From the front, from above, from the left", ("Z", "Y", "X")),
            Command("First view", ("R",)),
        ),
    ),
    Group(
        "Table",
        (
            Command("Copy the selected cells", ("Ctrl+C",)),
            Command("Select all", ("Ctrl+A",)),
            Command("First and last cell", ("Ctrl+Home", "Ctrl+End")),
            Command("Go where a reference leads", ("Enter",)),
            Command("Change the current cell", ("F2",)),
            Command("Sort by the column", ("Ctrl+Shift+Up", "Ctrl+Shift+Down")),
        ),
    ),
)


def key_table(
    form: QKeySequence.SequenceFormat = QKeySequence.SequenceFormat.NativeText,
) -> list[tuple[str, list[tuple[str, str]]]]:
    """Each group, with pairs of command and keys as text."""
    return [(group.title, [(one.label, one.keys_text(form)) for one in group.commands]) for group in COMMANDS]
