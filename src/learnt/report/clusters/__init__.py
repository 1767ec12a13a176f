"""What is known of the clusters of a table, in words, as numbers and as a page."""

from learnt.report.clusters.findings import Findings, find

__all__ = ["Findings", "find"]
