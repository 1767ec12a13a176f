"""How results are written and drawn: words, numbers, tables, pictures."""
