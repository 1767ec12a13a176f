"""Alternating trees: boosting whose tests hang below each other."""
