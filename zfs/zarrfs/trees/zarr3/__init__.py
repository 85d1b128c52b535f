"""`zarr3/`: the same hierarchy as accepted Zarr v3 with plain chunks."""
