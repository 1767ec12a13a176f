"""Several classes, labels or ranks by learners of two classes."""
