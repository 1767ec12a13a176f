"""Tables over sets of variables, and their algebra."""
