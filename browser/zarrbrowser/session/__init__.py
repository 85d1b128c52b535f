"""What the browser knows and decides, without Qt: sources, the current node, axes, contrast, planes, texts."""
