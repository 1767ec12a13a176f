"""Answers by the k nearest rows."""
