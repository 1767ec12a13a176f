"""Clusters and densities: where rows lie close together."""
