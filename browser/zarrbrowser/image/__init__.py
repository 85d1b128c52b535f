"""An image and how it is shown: axes, levels, labels, measurements. Without Qt."""
