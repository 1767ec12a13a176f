"""Columns chosen by what they tell about the target."""
