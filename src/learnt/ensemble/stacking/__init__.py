"""Stacking: a learner that learns from what others say of rows they have not seen."""
