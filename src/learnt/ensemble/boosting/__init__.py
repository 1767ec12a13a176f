"""Gradient boosting, in memory and over files."""
