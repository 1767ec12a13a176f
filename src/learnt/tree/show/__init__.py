"""Trees as text, rules, drawings and Graphviz."""
