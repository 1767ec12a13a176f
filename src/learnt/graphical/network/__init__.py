"""Directed models: nodes, their tables, files, parameters, sampling, separation."""
