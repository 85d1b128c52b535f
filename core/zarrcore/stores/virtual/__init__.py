"""Files of other formats, shown as the keys of a Zarr v3 hierarchy."""
