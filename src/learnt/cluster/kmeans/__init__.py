"""k-means and its relatives: clusters around centers."""
