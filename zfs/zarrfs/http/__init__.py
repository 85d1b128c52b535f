"""The trees of a mount over HTTP and WebDAV, to be read only."""
