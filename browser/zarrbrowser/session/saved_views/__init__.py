"""Saved views: their documents, files and links, the bookmarks, and the recent views with their thumbnails."""
