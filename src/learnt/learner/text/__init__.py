"""Columns of long text in a table that is fitted: which words are counted, and how they become columns."""
