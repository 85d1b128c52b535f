"""The files of the server's own viewer: a page, its style, and its program, which the browser runs as they are."""
