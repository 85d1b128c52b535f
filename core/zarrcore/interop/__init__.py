"""zarrcore inside other libraries; each module is imported by the library that it serves."""
