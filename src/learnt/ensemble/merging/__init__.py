"""Several trees that vote, merged into one tree that says exactly what they say together."""
