"""Figures and movies of the view: from the menus to files, the clipboard and paper."""
