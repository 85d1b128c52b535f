"""Elements of datasets that are in other files: virtual datasets, external files and external links."""
