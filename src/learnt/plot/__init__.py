"""Pictures, drawn with matplotlib, which is imported only when one is asked for."""
