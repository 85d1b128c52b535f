"""From numbers to colours: contrast, colour maps, rendering. Does not import Qt."""
