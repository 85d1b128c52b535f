"""NRRD files, with their elements attached or in files of their own, as multiscale groups of one level."""
