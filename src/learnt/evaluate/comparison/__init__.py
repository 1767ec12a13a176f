"""Comparing learners on a table: which ones fit, how they are run, and what can be concluded."""
