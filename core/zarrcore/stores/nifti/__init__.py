"""NIfTI files, versions 1 and 2, as multiscale groups of one level."""
