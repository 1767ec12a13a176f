"""k-medoids: clusters around rows of the table."""
