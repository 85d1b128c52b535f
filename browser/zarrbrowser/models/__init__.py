"""Qt models of trees, tables and search results. They read nothing themselves."""
