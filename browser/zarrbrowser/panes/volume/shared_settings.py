"""The settings that the Volume tab shares with the Image tab.

A volume shows elements: statistics along an axis and comparisons are those of planes. The volume is without them, and they
stay in the Image tab.
"""

from __future__ import annotations

from dataclasses import replace

from zarrbrowser.image.levels import Image
from zarrbrowser.image.state import ImageState
from zarrbrowser.image.view_settings import ViewSettings, initial_settings
from zarrbrowser.session.sources import Source
from zarrbrowser.session.state import Session


def of_volume(settings: ViewSettings) -> ViewSettings:
    """The settings of an image without those that a volume does not have."""
    return replace(settings, reduction=None, comparison=None, other=None)


def first_settings(session: Session, source: Source, image: Image) -> ViewSettings:
    """The settings of a volume that is opened: those of its image, if they fit."""
    settings = session.view_of(source, image.key)
    if settings is None or settings.axes.shape != tuple(image.base.shape):
        settings = initial_settings(image, is_unpacked=session.is_unpacked(source, image.key))
    return of_volume(settings)


def remember(session: Session, source: Source, state: ImageState) -> None:
    """Keep the settings of a volume for the Image tab, whose statistics and comparisons stay."""
    before, settings = session.view_of(source, state.image.key), state.settings
    if before is not None and before.axes.shape == settings.axes.shape:
        settings = replace(
            settings, reduction=before.reduction, comparison=before.comparison, other=before.other
        )
    session.remember(source, state.image.key, settings, state.image.base)
    session.colour_map = state.colour_map
