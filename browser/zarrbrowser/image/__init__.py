"""An image and its view settings: axes, levels, labels, measurements. Does not import Qt."""
