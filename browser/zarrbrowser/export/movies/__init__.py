"""Movies along an axis: which positions they show, and how they are written. Does not import Qt."""
