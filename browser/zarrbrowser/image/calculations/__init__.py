"""Planes that are computed: statistics along an axis, and comparisons of two planes. Does not import Qt."""
