"""Ordered classes: proportional odds."""
