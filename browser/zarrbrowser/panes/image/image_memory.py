"""What the session knows of images: their view settings, and the others that the user looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from zarrbrowser.image.axes import axis_names
from zarrbrowser.image.calculations.comparison import CannotCompareError
from zarrbrowser.image.carrying import carried
from zarrbrowser.image.levels import Image
from zarrbrowser.image.state import Change, ImageState
from zarrbrowser.image.view_settings import initial_settings
from zarrbrowser.nodes.protocols import ArrayLike
from zarrbrowser.panes.image.image_model import ImageModel
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session


class ImageMemory:
    """Keeps the settings of the image in a model in the session.

    Attributes:
        source: the source of the image; None without one.
    """

    def __init__(self, session: Session, model: ImageModel) -> None:
        self._session, self._model = session, model
        self.source: Source | None = None
        model.changed.connect(self._remember)

    def names_of(self, array: ArrayLike, source: Source) -> tuple[str, ...] | None:
        """The names of an array's axes, if they are known without asking other nodes."""
        settings = self._session.view_of(source, array.path)
        if array.dimension_names is None and settings and settings.axes.shape == tuple(array.shape):
            return settings.axes.names
        return None if array.dimension_names is None else axis_names(array.ndim, array.dimension_names)

    def state_of(self, image: Image, source: Source) -> ImageState:
        """The state in which to show an image: with its earlier settings, if it was shown before."""
        session = self._session
        settings, sibling = session.view_of(source, image.key), session.sibling(source, image.key)
        if settings is None or settings.axes.shape != tuple(image.base.shape):
            settings = initial_settings(image, is_unpacked=session.is_unpacked(source, image.key))
            settings = settings if sibling is None else carried(settings, image, *sibling)
        if sibling is not None:
            settings = replace(settings, axes=settings.axes.at_positions_of(sibling[0].axes))
        # Ask again before large reads that the user agreed to on an earlier visit.
        # The other array of a comparison is opened again: its source may be closed.
        settings = replace(settings, may_read_bytes=0, other=None)
        return ImageState(image, settings, source.hierarchy.node, session.colour_map, self._model.layout)

    def adopt(self) -> None:
        """Take over the settings of the image, which the Volume tab may have changed."""
        state = self._model.state
        if state is None or self.source is None:
            return
        kept = self._session.view_of(self.source, state.image.key)
        if kept is not None and kept is not state.settings:
            own = state.settings
            kept = replace(kept, other=own.other, may_read_bytes=own.may_read_bytes)
            self._model.change(settings=kept, colour_map=self._session.colour_map)

    def locate(self, address: str) -> tuple[str, Callable[[str], Any]]:
        """The path of a node, and what opens it: in the source of the image, or in another open one.

        Raises:
            CannotCompareError: that source is not open.
        """
        where, marker, path = address.rpartition("#/")
        if not marker:
            if self.source is None:
                raise CannotCompareError(f"{address} is not open.")
            return f"/{address.strip('/')}", self.source.hierarchy.node
        source = next((one for one in self._session.sources if one.request.shown_address == where), None)
        if source is None:
            raise CannotCompareError(f"{where} is not open.")
        return f"/{path}", source.hierarchy.node

    def viewed_before(self) -> list[str]:
        """Addresses of images that the user looked at, other than the present one."""
        state = self._model.state
        return [
            path if source is self.source else f"{source.request.shown_address}#{path}"
            for source, path in self._session.viewed()
            if source is not self.source or state is None or path != state.image.key
        ]

    def _remember(self, _change: Change) -> None:
        state = self._model.state
        if state is None:
            return
        if self.source is not None:
            self._session.remember(self.source, state.image.key, state.settings, state.image.base)
        self._session.colour_map = state.colour_map
