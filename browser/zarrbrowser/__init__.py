"""A desktop browser for hierarchies: tree, metadata, images, plots and tables. It never blocks."""
