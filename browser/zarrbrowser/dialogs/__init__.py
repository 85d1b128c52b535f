"""The dialogs: open a location, export, list of keys."""
