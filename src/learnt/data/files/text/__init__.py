"""Text files: delimited, ARFF, libsvm, JSON."""
