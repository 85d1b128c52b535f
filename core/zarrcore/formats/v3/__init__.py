"""The accepted Zarr v3 specification."""
