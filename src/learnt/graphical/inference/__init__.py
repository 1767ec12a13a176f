"""Answers of graphical models: exact by elimination or a junction tree, approximate by messages or samples."""
