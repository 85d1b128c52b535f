"""The size that the header of an image states."""

from __future__ import annotations

from typing import NamedTuple


class ImageHeader(NamedTuple):
    """What the header of an image states about its size."""

    width: int
    height: int
    channels: int
    """Their number, or for JPEG XL and PNG with a palette the most that there can be."""
    bits: int
    """Of a sample; 0 if the format's header does not state them in one place."""

    @property
    def sample_count(self) -> int:
        """The samples of all channels, at most."""
        return self.width * self.height * self.channels
