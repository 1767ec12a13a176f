"""Bagging and random subspaces: one learner, many samples."""
