"""Models without arrows: products of factors, and the messages between variables and factors."""
