"""Missing cells filled in."""
