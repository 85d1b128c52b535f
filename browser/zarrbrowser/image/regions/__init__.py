"""Regions of a picture: their shapes, the statistics of the elements in them, and their files. Does not import Qt."""
