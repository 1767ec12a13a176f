"""The perceptron in the space of a kernel."""
