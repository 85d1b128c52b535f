"""The registry of panes. A new pane is a module with a `Pane`, and a line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from zarrbrowser.gallery.cells import has_gallery
from zarrbrowser.image.multiscales import (
    NotAnImageError,
    image_of_group,
    is_image,
    is_inferred_image,
    may_be_image,
)
from zarrbrowser.nodes.describe import is_plot
from zarrbrowser.nodes.protocols import NodeLike, is_array, is_broken, is_group
from zarrbrowser.values.numbers import why_no_picture
from zarrbrowser.values.packing import read_packing
from zarrbrowser.volume.axes import may_be_volume
from zarrcore.errors import ZarrError

if TYPE_CHECKING:  # panes are imported when they are first shown, for a fast start
    from zarrbrowser.panes.pane import Pane


@dataclass(frozen=True, slots=True)
class PaneKind:
    """The entry of a pane."""

    title: str
    """The title of its tab."""
    exists_for: Callable[[NodeLike], bool]
    location: str
    """Module and class: ``module:Class``."""
    is_drawn: bool = False
    """Whether it loads pyqtgraph, which takes a quarter of a second."""

    def load(self) -> type[Pane]:
        """Import the pane's class."""
        module, _, name = self.location.partition(":")
        return getattr(import_module(f"zarrbrowser.panes.{module}"), name)  # type: ignore[no-any-return]


def has_picture(node: NodeLike) -> bool:
    """Whether a node has an Image tab, as far as its own metadata say."""
    return is_image(node) if is_group(node) else _has_numbers(node, 2)


def _has_plot(node: NodeLike) -> bool:
    return is_array(node) and node.ndim == 1 and _has_numbers(node, 1)


def _has_numbers(node: NodeLike, least_ndim: int) -> bool:
    return is_array(node) and node.ndim >= least_ndim and not why_no_picture(node.dtype)


def _is_scalar(node: NodeLike) -> bool:
    return is_array(node) and not node.ndim


def _has_axes(node: NodeLike) -> bool:
    return is_array(node) and node.ndim > 0


def _has_table(node: NodeLike) -> bool:
    # The arrays of a group may be columns; what they are is known once they are opened.
    return _has_axes(node) or (node.kind == "group" and not is_image(node) and not has_gallery(node))


PANES = (
    PaneKind("Image", has_picture, "image.image_pane:ImagePane", is_drawn=True),
    PaneKind("Volume", may_be_volume, "volume.volume_pane:VolumePane", is_drawn=True),
    PaneKind("Thumbnails", has_gallery, "gallery.gallery_pane:GalleryPane"),
    PaneKind("Plot", _has_plot, "plot_pane:PlotPane", is_drawn=True),
    PaneKind("Value", _is_scalar, "value_pane:ValuePane"),
    PaneKind("Overview", is_group, "overview_pane:OverviewPane"),
    PaneKind("Table", _has_table, "table.table_pane:TablePane"),
    PaneKind("Problem", is_broken, "problem_pane:ProblemPane"),
    PaneKind("Metadata", lambda node: not is_broken(node), "metadata_pane:MetadataPane"),
    PaneKind("Attributes", is_array, "attributes_pane:AttributesPane"),
    PaneKind("Storage", is_array, "storage_pane:StoragePane"),
)
"""In the order of the tabs."""


def tabs_for(node: NodeLike) -> tuple[str, ...]:
    """The titles of the panes that exist for a node, the one to show first first."""
    titles = tuple(kind.title for kind in PANES if kind.exists_for(node))
    if "Plot" not in titles or not (is_array(node) and (node.dtype.names or node.dtype.kind == "b")):
        return titles
    # A line says little about records and flags.
    return ("Table", *(title for title in titles if title != "Table"))


def may_have_more_tabs(node: NodeLike) -> bool:
    """Whether `inferred_tabs` needs to be asked about a node; reads nothing."""
    return may_be_image(node) or is_plot(node)


def inferred_tabs(group: NodeLike, find: Callable[[str], Any]) -> tuple[tuple[str, ...], NodeLike]:
    """The titles of further panes of a group according to the arrays in it, and the node that they show; blocks.

    Those of a group that is an image show the group, those of a plot its signal.

    Args:
        group: a group for which `may_have_more_tabs` is true.
        find: the node at an absolute path.

    Raises:
        ZarrError: the signal is broken.
        StoreError: the store failed.
    """
    if is_plot(group):
        from zarrcore.conventions import default_signal  # late: for a fast start

        signal = find(default_signal(group, find))
        read_packing([signal], find(signal.path.rpartition("/")[0] or "/"), find)
        return tuple(title for title in tabs_for(signal) if is_drawn(title)), signal
    if not is_inferred_image(group, find):
        return (), group
    try:
        is_volume = may_be_volume(image_of_group(group, find).base)
    except (NotAnImageError, ZarrError):
        is_volume = False  # the Image tab says why
    return ("Image", "Volume") if is_volume else ("Image",), group


def kind_of(title: str) -> PaneKind:
    """The pane of a tab.

    Raises:
        KeyError: the title is unknown.
    """
    return {kind.title: kind for kind in PANES}[title]


def is_drawn(title: str) -> bool:
    """Whether the pane of a tab loads pyqtgraph."""
    return any(kind.is_drawn for kind in PANES if kind.title == title)
