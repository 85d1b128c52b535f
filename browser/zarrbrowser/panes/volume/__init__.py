"""The Volume tab: drawn by OpenGL in a thread of its own, so that the window never waits for it."""
