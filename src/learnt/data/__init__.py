"""Tables: typed columns from frames, arrays and files."""

from learnt.data.files.read import read
from learnt.data.files.scan import Scan, scan
from learnt.data.schema import KINDS, ColumnSchema, Kind, Schema
from learnt.data.table import Column, Table
from learnt.lazy import attach

__all__ = ["KINDS", "Column", "ColumnSchema", "Design", "Kind", "Scan", "Schema", "Table", "read", "scan"]

__getattr__, __dir__ = attach(__name__, {"Design": "learnt.data.design"}, __all__)
