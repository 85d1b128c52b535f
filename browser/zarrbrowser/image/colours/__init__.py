"""From numbers to colours: contrast, colour maps, rendering. Without Qt."""
