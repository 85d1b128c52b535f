"""Help in the window: the guide, the keyboard shortcuts, and what this program is."""
