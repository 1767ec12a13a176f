"""Distances of labels: `learnt.distance.value_difference`, under the name learners know it by."""

from learnt.distance.value_difference import check_value_tables, value_tables

__all__ = ["check_value_tables", "value_tables"]
