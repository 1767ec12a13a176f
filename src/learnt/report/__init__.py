"""Results as a page to look at."""

from learnt.report.page import Page

__all__ = ["Page"]
