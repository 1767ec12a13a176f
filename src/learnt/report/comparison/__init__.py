"""The report of a comparison: one self-contained HTML page."""

from learnt.report.comparison.page import render, write

__all__ = ["render", "write"]
