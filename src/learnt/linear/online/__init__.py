"""Learners that meet rows one after another: gradient descent, perceptrons, Winnow."""
