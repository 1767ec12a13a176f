"""Hierarchies of clusters: merged from single rows, or divided from all of them."""
