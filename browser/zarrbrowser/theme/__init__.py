"""Light and dark colours, the stylesheet, icons."""

from zarrbrowser.theme.apply import Appearance, apply_theme, current_colours, dress
from zarrbrowser.theme.colours import DARK, LIGHT, Colours
from zarrbrowser.theme.icons import icon

__all__ = ["DARK", "LIGHT", "Appearance", "Colours", "apply_theme", "current_colours", "dress", "icon"]
