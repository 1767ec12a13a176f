"""Naive Bayes on tables, counts and documents, and the joint table it approximates."""
