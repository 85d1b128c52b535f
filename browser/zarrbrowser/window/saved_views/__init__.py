"""Bookmarks, links and recent views in the window."""
