"""References of kerchunk: JSON documents and Parquet folders that say where the bytes of a Zarr hierarchy are."""
