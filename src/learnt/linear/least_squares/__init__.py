"""Ordinary least squares."""
