"""Dates taken apart."""
