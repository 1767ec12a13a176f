"""Workbooks: sheets of Excel and OpenDocument."""
