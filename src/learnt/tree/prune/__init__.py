"""Pruning trees."""
