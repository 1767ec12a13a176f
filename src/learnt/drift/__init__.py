"""Drift: streams that are no longer what they were, and tables that differ from older ones."""

from learnt.drift.columns import ColumnDrift, compare_columns
from learnt.drift.detector import DriftDetector
from learnt.drift.predictions import PredictionDrift
from learnt.drift.tables import TableDrift, find_drift
from learnt.drift.telling_apart import ToldApart, tell_apart

__all__ = [
    "ColumnDrift",
    "DriftDetector",
    "PredictionDrift",
    "TableDrift",
    "ToldApart",
    "compare_columns",
    "find_drift",
    "tell_apart",
]
