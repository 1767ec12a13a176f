"""Groups and directions of rows in the space of a kernel."""
