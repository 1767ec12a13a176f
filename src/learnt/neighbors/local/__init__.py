"""Least squares around each row asked about."""
