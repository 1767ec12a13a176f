"""Numbers in other units, as intervals, as products."""
