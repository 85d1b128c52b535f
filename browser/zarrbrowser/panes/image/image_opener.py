"""Opens the image of a node: an array, or a group that holds the levels of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject, Signal

from zarrbrowser.image.levels import Image, image_of_array
from zarrbrowser.image.multiscales import NotAnImageError, image_of_group
from zarrbrowser.nodes.names_along import names_of
from zarrbrowser.nodes.protocols import ArrayLike, NodeLike, is_array
from zarrbrowser.panes.image.image_body import ImageBody
from zarrbrowser.panes.image.image_memory import ImageMemory
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.session.error_text import sentence
from zarrbrowser.session.sources import Source
from zarrbrowser.values.numbers import why_no_picture
from zarrbrowser.workers import Lane, Workers
from zarrcore.errors import ZarrError


class ImageOpener(QObject):
    """Shows images in a model, or has the body say why that is impossible.

    Attributes:
        node: the node whose image is shown, or is being opened; None without one.
        awaited: a view to restore once the image is open.

    Signals:
        found: an image is about to be shown, or the reason why it is not.
        opened: the model shows the image; how many planes the user has stepped meanwhile.
    """

    found = Signal()
    opened = Signal(int)

    def __init__(self, model: ImageModel, body: ImageBody, memory: ImageMemory, workers: Workers) -> None:
        super().__init__(body)
        self._model, self._body, self._memory, self._lane = model, body, memory, Lane(workers)
        self.node: NodeLike | None = None
        self.awaited: Mapping[str, Any] | None = None
        self._steps = 0
        body.controls.variable.textActivated.connect(self._open_levels)

    def show_node(self, source: Source, node: NodeLike) -> None:
        """Show an array, or a group that is one image, with its earlier view settings if it was shown before."""
        self._memory.source, self.node = source, node
        names = self._memory.names_of(node, source) if is_array(node) else None
        if not is_array(node) or not names or _why_not(node):
            self._model.clear()  # else the next image is announced in place of the one before
        if is_array(node) and (names or _why_not(node)):
            self._show(image_of_array(node, names))
        elif is_array(node):
            self._body.stack.wait_for(f"Opening {node.path}")
            self._lane.ask(
                lambda _request: image_of_array(node, names_of(node, source.hierarchy.node)),
                self._show,
                self._fail,
            )
        else:
            self._open_levels()

    def step(self, by: int) -> bool:
        """Count a step while an image is being opened; False if none is."""
        if self._model.state is not None or not self._lane.busy:
            return False
        self._steps += by
        return True

    def clear(self) -> None:
        """Forget the node, and cancel requests."""
        self._lane.forget()
        self._memory.source = self.node = self.awaited = None
        self._steps = 0

    def _open_levels(self, variable: str = "") -> None:
        source, node = self._memory.source, self.node
        if source is None or node is None:
            return
        self._body.stack.wait_for(f"Opening the levels of {node.path}")
        self._lane.ask(
            lambda _request: image_of_group(node, source.hierarchy.node, variable),
            self._show,
            self._fail,
            f"Opening {node.path}",
        )

    def _show(self, image: Image) -> None:
        reason, source = _why_not(image.base), self._memory.source
        self.found.emit()
        self._body.offer(image, has_picture=not reason)
        if reason or source is None:
            self._body.stack.show_sentence(reason, drawing="array2")
            return
        try:
            state = self._memory.state_of(image, source)
        except ZarrError as error:  # such as a factor of NeXus that cannot be read
            self._fail(error)
            return
        self._model.show(state)
        self.opened.emit(self._steps)

    def _fail(self, error: Exception) -> None:
        if isinstance(error, NotAnImageError):
            self._body.stack.show_sentence(sentence(error), drawing="array2")
        else:
            self._body.stack.show_error(error)


def _why_not(array: ArrayLike) -> str:
    """Why an array cannot be shown as an image; empty if it can."""
    if 0 in array.shape:
        return "This array holds no elements: one of its axes has length 0."
    return "This image has only one axis." if array.ndim < 2 else why_no_picture(array.dtype)
