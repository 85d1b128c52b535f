"""Coordinates of positions along an axis: lengths, dates, names. Without Qt."""
