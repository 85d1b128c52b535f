"""Volumes of Neuroglancer, format "precomputed", as multiscale groups."""
