"""All file systems that fsspec knows and this package does not."""
