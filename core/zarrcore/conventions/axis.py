"""The dimensions of images and variables."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Axis:
    """A dimension with its meaning."""

    name: str | None
    kind: str = ""
    """``time``, ``channel``, ``space``, another word of the convention, or empty."""
    unit: str = ""
    long_name: str = ""

    @property
    def is_channel(self) -> bool:
        """Whether positions are channels, which can be blended into a picture."""
        return self.kind == "channel" or (
            not self.kind and (self.name or "").lower() in ("c", "channel", "channels")
        )

    @property
    def is_space(self) -> bool:
        """Whether positions are places; axes of early versions have only names."""
        return self.kind == "space" or (not self.kind and (self.name or "").lower() in ("x", "y", "z"))
