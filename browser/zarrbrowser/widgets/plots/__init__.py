"""Plots with lines: their axes, and the widget that holds them."""
