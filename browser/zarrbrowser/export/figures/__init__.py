"""Figures of the view: pictures and plots with axes, as values that any painter can draw. Does not import Qt."""
