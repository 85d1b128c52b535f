"""Drawing of figures with Qt's painter: on the screen, on paper, and in files."""
