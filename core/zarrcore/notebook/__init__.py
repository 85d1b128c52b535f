"""What notebooks show of hierarchies, groups and arrays: HTML with SVG, and pictures."""

from zarrcore.notebook.page import as_html
from zarrcore.notebook.previews import preview

__all__ = ["as_html", "preview"]
