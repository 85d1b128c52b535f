"""An image and its view settings: axes, levels, labels, measurements. Without Qt."""
