"""Icechunk repositories, through the package ``icechunk``: versions of a hierarchy as stores."""
