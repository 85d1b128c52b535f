"""Small widgets that several panes use."""
