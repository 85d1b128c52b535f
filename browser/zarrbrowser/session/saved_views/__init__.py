"""Saved views: their documents, files and links, the bookmarks, and the recent views. Does not import Qt."""
