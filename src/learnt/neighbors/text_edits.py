"""Columns of text: `learnt.distance.text_edits`, under the name learners know it by."""

from learnt.distance.text_edits import as_cells, edits

__all__ = ["as_cells", "edits"]
