"""Databases: SQLite and DuckDB."""
