"""Coarser levels of an image, and the OME-Zarr metadata that describe them."""

from zarrcore.operations.pyramid.levels import build, check_places
from zarrcore.operations.pyramid.plan import PyramidPlan, Wanted, plan_pyramid
from zarrcore.operations.pyramid.reduce import METHODS

__all__ = ["METHODS", "PyramidPlan", "Wanted", "build", "check_places", "plan_pyramid"]
