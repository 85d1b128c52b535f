"""Coordinates of positions along an axis: lengths, dates, names. Does not import Qt."""
