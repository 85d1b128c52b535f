"""The drafts of Zarr v3, from 2019 to 2023."""
