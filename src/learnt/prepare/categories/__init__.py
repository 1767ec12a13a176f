"""Categories as numbers or indicator columns."""
