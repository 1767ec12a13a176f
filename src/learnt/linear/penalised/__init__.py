"""Ridge, lasso, elastic net and group lasso."""
