"""Opens the image of a node, and its coordinates, for the Volume tab."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal

from zarrbrowser.coordinates.coordinates import Coordinate, coordinates_of
from zarrbrowser.image.levels import Image, image_of_array
from zarrbrowser.image.multiscales import image_of_group
from zarrbrowser.image.state import ImageState
from zarrbrowser.nodes.names_along import names_of
from zarrbrowser.nodes.protocols import NodeLike, is_array
from zarrbrowser.panes.data_stack import DataStack
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.panes.volume.shared_settings import first_settings
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session
from zarrbrowser.values.numbers import why_no_picture
from zarrbrowser.volume.axes import volume_axes
from zarrbrowser.workers import Lane, Workers


class VolumeOpener(QObject):
    """Shows images in a model, or has a stack say why that is impossible.

    Attributes:
        source: the source of the image; None without one.
        coordinates: those of the image, by axis.

    Signals:
        opened: the model shows the image.
    """

    opened = Signal()

    def __init__(self, model: ImageModel, stack: DataStack, session: Session, workers: Workers) -> None:
        super().__init__(model)
        self._model, self._stack, self._session, self._lane = model, stack, session, Lane(workers)
        self.source: Source | None = None
        self._node: NodeLike | None = None
        self.coordinates: Mapping[int, Coordinate] = {}

    def show_node(self, source: Source, node: NodeLike) -> None:
        """Open the image of a node."""
        self.source, self._node, find = source, node, source.hierarchy.node
        self._stack.wait_for(f"Opening {node.path}")

        def work(_request: object) -> tuple[Image, Mapping[int, Coordinate]]:
            names = names_of(node, find) if is_array(node) else None
            image = image_of_array(node, names) if is_array(node) else image_of_group(node, find)
            return image, coordinates_of(image, find)

        self._lane.ask(work, self._show, self._stack.show_error, f"Opening {node.path}")

    def open_again(self) -> None:
        """Open the image again after that has failed."""
        if self.source is not None and self._node is not None:
            self.show_node(self.source, self._node)

    def clear(self) -> None:
        """Forget the node, and cancel requests."""
        self._lane.forget()
        self.source, self._node, self.coordinates = None, None, {}

    def _show(self, found: tuple[Image, Mapping[int, Coordinate]]) -> None:
        (image, self.coordinates), source = found, self.source
        if source is None:
            return
        reason = why_no_picture(image.base.dtype)
        if 0 in image.base.shape:
            reason = "This array holds no elements: one of its axes has length 0."
        if not reason:
            settings = first_settings(self._session, source, image)
            if volume_axes(image, settings, self.coordinates) is None:
                reason = "This image is flat: no three of its axes are in space and longer than 1."
        if reason:
            self._stack.show_sentence(reason, drawing="array2")
            return
        self._model.show(ImageState(image, settings, source.hierarchy.node, self._session.colour_map))
        self.opened.emit()
