"""Figures of the report as inline SVG: coloured by the page's style sheet, so that they follow light and dark."""
