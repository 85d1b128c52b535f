"""The panes of a node's tabs: each made when first needed, and filled with what it shows."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from zarrbrowser.export.viewed_array import ViewedArray
from zarrbrowser.image.axes import Axes
from zarrbrowser.image.colours.colour_maps import COLOUR_MAPS, lookup_table
from zarrbrowser.image.displayed_slice import DisplayedSlice
from zarrbrowser.nodes.protocols import NodeLike, is_array, is_group
from zarrbrowser.panes.metadata_pane import MetadataPane
from zarrbrowser.panes.overview_pane import OverviewPane
from zarrbrowser.panes.problem_pane import ProblemPane
from zarrbrowser.panes.storage.storage_pane import StoragePane
from zarrbrowser.panes.table.table_pane import TablePane
from zarrbrowser.panes.value_pane import ValuePane
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.widgets.attribute_tree import AttributeTree
from zarrbrowser.window.menus import add_picture_keys
from zarrbrowser.workers import Workers

DRAWN = ("Image", "Plot")
"""Those that load pyqtgraph."""
FOLLOWS_THE_PICTURE = ("Table",)
"""Filled each time they come to the front, as another plane may have been chosen in the picture."""
_Kind = type[ValuePane | TablePane | MetadataPane | StoragePane | OverviewPane | ProblemPane]


class Panes(QObject):
    """Makes panes by the names of their tabs, and fills them.

    Signals:
        pointed: what is under the pointer, as text.
        reported: what was read, for the status bar.
        shown: a pane has its data on the screen.
        retried: the person wants the node read again.
        view_changed: how the picture is looked at now, as `view_state_of` tells.
    """

    pointed = Signal(str)
    reported = Signal(str)
    shown = Signal()
    retried = Signal()
    view_changed = Signal(object)

    def __init__(self, session: Session, workers: Workers, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._workers = session, workers
        self._unpackers: list[Callable[..., None]] = []

    def fill(self, pane: QWidget, source: Source, node: NodeLike) -> None:
        """Show a node in a pane."""
        if isinstance(pane, MetadataPane | OverviewPane | ProblemPane):
            pane.show_node(source, node)
        elif isinstance(pane, AttributeTree) and (is_array(node) or is_group(node)):
            pane.show_attributes(node.attributes)
        elif isinstance(pane, ValuePane | StoragePane) and is_array(node):
            pane.show_array(node)
        elif isinstance(pane, TablePane) and is_array(node):
            is_unpacked = self._session.is_unpacked(source, node.path)
            axes = self._axes_of_picture(source, node)
            pane.show_array(node, axes, source.hierarchy.node, is_unpacked=is_unpacked)
        else:
            self._fill_drawn(pane, source, node)

    def _fill_drawn(self, pane: QWidget, source: Source, node: NodeLike) -> None:
        from zarrbrowser.panes.image.image_pane import ImagePane
        from zarrbrowser.panes.plot.plot_pane import PlotPane

        if isinstance(pane, ImagePane):
            pane.show_node(source, node)
        elif isinstance(pane, PlotPane) and is_array(node):
            pane.show_array(node, source, is_unpacked=self._session.is_unpacked(source, node.path))

    def _axes_of_picture(self, source: Source, node: NodeLike) -> Axes | None:
        view = self._session.view_of(source, node.path)
        return None if view is None else view.axes

    def make(self, name: str) -> QWidget:
        """The pane of a tab."""
        if name in DRAWN:
            return self._make_drawn(name)
        if name == "Attributes":
            return AttributeTree()
        kinds: dict[str, _Kind] = {
            "Value": ValuePane,
            "Table": TablePane,
            "Metadata": MetadataPane,
            "Storage": StoragePane,
            "Overview": OverviewPane,
            "Problem": ProblemPane,
        }
        pane = kinds[name](self._workers)
        if isinstance(pane, ValuePane | TablePane):
            pane.stack.settled.connect(self.shown)
        if isinstance(pane, ProblemPane):
            pane.retried.connect(self.retried)
        if isinstance(pane, StoragePane):
            pane.settled.connect(self.shown)
        if isinstance(pane, TablePane):
            pane.reported.connect(self.reported)
            pane.unpacked.connect(self._unpack)
        return pane

    def _unpack(self, is_on: bool) -> None:
        """What the person wants in one tab counts in all."""
        source, node = self._session.source, self._session.node
        if source is not None and node is not None:
            self._session.unpack(source, node.path, is_on=is_on)
            for unpack in self._unpackers:
                unpack(is_on=is_on)

    def _make_drawn(self, name: str) -> QWidget:
        from zarrbrowser.panes.image.image_pane import ImagePane
        from zarrbrowser.panes.plot.plot_pane import PlotPane

        pane: ImagePane | PlotPane
        if name == "Image":
            pane = image = ImagePane(self._session, self._workers)
            step = image.step
            turning = {"PgDown": lambda: step(1), "PgUp": lambda: step(-1)}
            add_picture_keys(image, {"F": image.fit, "1": image.actual_size, **turning})
        else:
            pane = plot = PlotPane(self._workers)
            plot.unpacked.connect(self._unpack)
            add_picture_keys(pane, {"F": pane.fit})
        if isinstance(pane, ImagePane):
            pane.view_changed.connect(lambda: self.view_changed.emit(view_state_of(image)))
        self._unpackers.append(pane.unpack)
        pane.stack.settled.connect(self.shown)
        pane.pointed.connect(self.pointed)
        pane.reported.connect(self.reported)
        return pane


def viewed_array_of(pane: QWidget) -> ViewedArray | None:
    """What of an array a pane shows."""
    if isinstance(pane, TablePane):
        grid, chosen = pane.grid, pane.table.chosen()
        if grid is None or chosen is None:
            return None
        everything = grid.selection(slice(None), slice(None))
        packing = grid.packing if grid.is_unpacked else None
        return ViewedArray(grid.array, everything, grid.selection(*chosen), packing=packing)
    for_levels = getattr(pane, "displayed_levels", None)
    if for_levels is not None:
        levels = for_levels()
        return ViewedArray.of_levels(levels) if levels else None
    shown_by = getattr(pane, "displayed", None)
    shown = shown_by() if callable(shown_by) else None
    return ViewedArray.of(shown) if isinstance(shown, DisplayedSlice) else None


def view_state_of(pane: QWidget | None) -> dict[str, Any]:
    """How a node is looked at, as JSON has it: where, in which colours; empty where a pane has no such thing."""
    tell = getattr(pane, "view_state", None)
    return dict(tell()) if tell is not None else {}


def load_pictures() -> None:
    """Import what draws; runs in a worker."""
    import_module("zarrcore.hierarchy")  # what opening needs, which the first to open would wait for
    import_module("zarrbrowser.panes.image.image_pane")
    import_module("zarrbrowser.panes.plot.plot_pane")
    for name in COLOUR_MAPS:
        lookup_table(name)
