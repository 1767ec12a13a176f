"""Indexes that find the nearest rows."""
