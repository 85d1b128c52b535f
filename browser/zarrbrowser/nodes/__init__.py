"""What the browser needs of groups and arrays, and their description as text. Without Qt."""
