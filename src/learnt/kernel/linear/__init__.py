"""Linear machines: a border or a plane with a margin, found without a kernel."""
