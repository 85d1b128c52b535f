"""A QPalette with the theme's colours, so that parts drawn by the style match the stylesheet.

Requesting the platform's dark scheme has no effect offscreen or on a bare X server, hence an own palette.
"""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette

from zarrbrowser.theme.colours import Colours


def palette(colours: Colours) -> QPalette:
    """The palette of one appearance."""
    roles = {
        QPalette.ColorRole.Window: colours.window,
        QPalette.ColorRole.WindowText: colours.text,
        QPalette.ColorRole.Base: colours.surface,
        QPalette.ColorRole.AlternateBase: colours.window,
        QPalette.ColorRole.Text: colours.text,
        QPalette.ColorRole.PlaceholderText: colours.muted,
        QPalette.ColorRole.Button: colours.raised,
        QPalette.ColorRole.ButtonText: colours.text,
        QPalette.ColorRole.BrightText: colours.warning,
        QPalette.ColorRole.Highlight: colours.accent,
        QPalette.ColorRole.HighlightedText: colours.on_accent,
        QPalette.ColorRole.Link: colours.accent,
        QPalette.ColorRole.LinkVisited: colours.accent,
        QPalette.ColorRole.ToolTipBase: colours.surface,
        QPalette.ColorRole.ToolTipText: colours.text,
        QPalette.ColorRole.Light: colours.raised,
        QPalette.ColorRole.Midlight: colours.hover,
        QPalette.ColorRole.Mid: colours.border,
        QPalette.ColorRole.Dark: colours.border,
        QPalette.ColorRole.Shadow: colours.border,
    }
    result = QPalette()
    for role, colour in roles.items():
        result.setColor(role, QColor(colour))
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.WindowText, QPalette.ColorRole.ButtonText):
        result.setColor(QPalette.ColorGroup.Disabled, role, QColor(colours.disabled))
    return result
