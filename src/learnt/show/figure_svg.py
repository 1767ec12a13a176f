"""A matplotlib picture as inline SVG that is the same whenever it is drawn."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any


def figure_svg(figure: Any, **settings: Any) -> str:
    """The figure without the XML prolog and the date."""
    import matplotlib as mpl

    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "learnt"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None}, **settings)
    text = buffer.getvalue()
    return text[text.index("<svg") :]


def svg_of(draw: Callable[[Any], Any], size: tuple[float, float] = (5.2, 4.2)) -> str:
    """What `draw` draws on axes, in a figure of its own."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    draw(figure.subplots())
    return figure_svg(figure)
